import { type Budget, budgetCost, budgetTokens } from '../definition/budget.ts';
import type { AgentManifest } from '../definition/manifest.ts';
import type { ForNextCall } from '../calls/for-next-call.ts';
import { type StopReason, type Usage, dollars, noUsage } from '../values/vocabulary.ts';

/** Usage of a run so far, over all continue-as-new executions. */
export interface Counters extends ForNextCall {
  iterations: number;
  /** Milliseconds since 1970, and how many of the milliseconds since then a person was waited for. */
  startedAtMs: number;
  waitedMs: number;
  usage: Usage;
  /** Approvals that hold for the rest of the run: see rules/approval.ts. */
  approved?: string[];
  /** A person's grant beyond the agent's limits. */
  allowance?: Allowance | undefined;
}

/** Additions to the limits of the same name; no effect without a limit. */
export interface Allowance {
  iterations?: number | undefined;
  timeMs?: number | undefined;
  tokens?: number | undefined;
  /** US dollars. */
  cost?: number | undefined;
}

export function freshCounters(nowMs: number): Counters {
  return { iterations: 0, startedAtMs: nowMs, waitedMs: 0, usage: noUsage };
}

/** Milliseconds until the time limit; Infinity without one. */
export function timeLeft(
  { maxExecutionTimeMs }: AgentManifest,
  { startedAtMs, waitedMs, allowance }: Counters,
  nowMs: number,
): number {
  if (maxExecutionTimeMs === null) return Infinity;
  return maxExecutionTimeMs + (allowance?.timeMs ?? 0) - (nowMs - startedAtMs - waitedMs);
}

/** Looked at before each turn, as AgentExecutor does: 0 iterations means no model call at all. */
export function reachedLimit(
  manifest: AgentManifest,
  counters: Counters,
  nowMs: number,
): StopReason | undefined {
  const { maxIterations } = manifest;
  const { iterations, allowance } = counters;
  if (maxIterations !== null && iterations >= maxIterations + (allowance?.iterations ?? 0)) {
    return 'max_iterations';
  }
  if (timeLeft(manifest, counters, nowMs) <= 0) return 'max_execution_time';
  if (isUsedUp(manifest, counters)) return 'budget';
  return undefined;
}

/** The rest of the budget; undefined without a budget. */
export function budgetLeft({ budget }: AgentManifest, { usage, allowance }: Counters): Budget | undefined {
  if (budget === undefined) return undefined;
  const { totalTokens, cost } = budget;
  return {
    totalTokens: left(totalTokens, allowance?.tokens, budgetTokens(usage)),
    cost: left(cost, allowance?.cost, budgetCost(usage)),
  };
}

/** Looked at before each model call: the last one may go beyond it, and none follows. */
export function isUsedUp(manifest: AgentManifest, counters: Counters): boolean {
  const { totalTokens, cost } = budgetLeft(manifest, counters) ?? {};
  return totalTokens === 0 || cost === 0;
}

function left(limit: number | null | undefined, granted = 0, used = 0): number | undefined {
  return limit === undefined || limit === null ? undefined : Math.max(0, dollars(limit + granted - used));
}

/** Approvals and raised limits that hold until the run ends. */
export type Granted = Pick<Counters, 'approved' | 'allowance'>;

export function grantedIn({ approved, allowance }: Granted = {}): Granted {
  return { ...(approved && { approved }), ...(allowance && { allowance }) };
}
