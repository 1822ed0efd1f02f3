import type { Allowance, Counters } from './counters.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import { budgetCost, budgetTokens } from '../definition/budget.ts';
import { type ErrorInfo, type StopReason, dollars } from '../values/vocabulary.ts';

/** The limits of a run, its progress towards each, and the text for a person when a limit is reached. */

export type LimitName = keyof Allowance;

/** The limit that stopped a run: one of its limits, or the same action again and again. */
export interface ReachedLimit {
  stop: StopReason;
  /** Limit to raise so that the run can continue, and the value to exceed. */
  raise: LimitName;
  over: number;
  /** The limit in figures, as it is recorded. */
  figure: string;
}

interface Limit {
  stop: StopReason;
  unit: string;
  /** undefined: the agent has no such limit. */
  measured(
    manifest: AgentManifest,
    counters: Counters,
    nowMs: number,
  ): { limit: number; used: number } | undefined;
}

/** Limits in the order in which they are checked. */
const runLimits: { readonly [L in LimitName]-?: Limit } = {
  iterations: {
    stop: 'max_iterations',
    unit: 'iterations',
    measured: ({ maxIterations }, { iterations }) =>
      maxIterations === null ? undefined : { limit: maxIterations, used: iterations },
  },
  timeMs: {
    stop: 'max_execution_time',
    unit: 'ms',
    measured: ({ maxExecutionTimeMs }, { startedAtMs, waitedMs }, nowMs) =>
      maxExecutionTimeMs === null
        ? undefined
        : { limit: maxExecutionTimeMs, used: nowMs - startedAtMs - waitedMs },
  },
  tokens: {
    stop: 'budget',
    unit: 'tokens',
    measured: ({ budget }, { usage }) => measuredBudget(budget?.totalTokens, budgetTokens(usage)),
  },
  cost: {
    stop: 'budget',
    unit: 'dollars',
    measured: ({ budget }, { usage }) => measuredBudget(budget?.cost, budgetCost(usage)),
  },
};

export const limitNames = Object.keys(runLimits) as LimitName[]; // the keys of the literal above

function measuredBudget(limit: number | null | undefined, used: number) {
  return limit === undefined || limit === null ? undefined : { limit, used };
}

const REPEATS = 'repeats';

/** The limits an agent has. While its definition is not there it may have any. */
export function limitsOf(manifest: AgentManifest | undefined, counters: Counters | undefined): LimitName[] {
  if (manifest === undefined || counters === undefined) return limitNames;
  return limitNames.filter((name) => runLimits[name].measured(manifest, counters, 0) !== undefined);
}

/** The limit that caused a stop: the first that the run has reached. */
export function exceededLimit(
  stop: StopReason,
  manifest: AgentManifest,
  counters: Counters,
  nowMs: number,
): ReachedLimit {
  for (const raise of limitNames) {
    const { unit, measured, ...rule } = runLimits[raise];
    const now = rule.stop === stop ? measured(manifest, counters, nowMs) : undefined;
    if (now === undefined) continue;
    const limit = dollars(now.limit + (counters.allowance?.[raise] ?? 0));
    if (dollars(now.used - limit) >= 0)
      return { stop, raise, over: dollars(now.used - limit), figure: `${limit} ${unit}` };
  }
  throw new Error(`unreachable: the run stands at no limit that stops it as ${stop}`);
}

/** The model has repeated one action too often: more iterations let the run continue. */
export function repeatsReached({ repeat }: Counters): ReachedLimit {
  return { stop: 'max_iterations', raise: 'iterations', over: 0, figure: `${repeat?.times ?? 0} ${REPEATS}` };
}

/** The error that a person reads at a limit, with the figure as recorded. */
export function limitError(figure: string): ErrorInfo {
  const [amount = '', unit = ''] = figure.split(' ');
  switch (unit) {
    case 'ms':
      return {
        type: 'MaxExecutionTime',
        message: `The time limit of ${Number(amount) / 1000} s is reached.`,
      };
    case 'tokens':
      return { type: 'TokenBudget', message: `The budget of ${amount} tokens is used up.` };
    case 'dollars':
      return { type: 'CostBudget', message: `The budget of $${amount} is used up.` };
    case REPEATS:
      return { type: 'RepeatedAction', message: `The same action was decided on ${amount} times in a row.` };
    default:
      return {
        type: 'MaxIterations',
        message: `The limit of ${amount} iteration${amount === '1' ? '' : 's'} is reached.`,
      };
  }
}
