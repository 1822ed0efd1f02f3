import { z } from 'zod/v4';
import { modelsOf } from '../agent/definition/agent-models.ts';
import type { AgentManifest } from '../agent/definition/manifest.ts';
import type { BudgetAccount, BudgetDefinition } from '../agent/budgets/budget-rule.ts';
import { type AgentDefinition, ConfigError } from './define.ts';
import { type Checks, options } from './options/options.ts';

const shape = {
  name: z.string().regex(/^[\w-]{1,64}$/u, 'is not a name of letters, digits, - and _'),
  of: z.enum(['all', 'agent', 'tenant']),
  only: z.string().min(1),
  per: z.enum(['day', 'month']),
  cost: z.number().positive('is not an amount of US dollars above 0'),
  totalTokens: z.int('is not a whole number from 1').positive('is not a whole number from 1'),
  runs: z.int('is not a whole number from 1').positive('is not a whole number from 1'),
  onEnd: z.enum(['wait', 'fail', 'stop']),
  warnAt: z.number().gt(0).max(1, 'is not a share from 0 to 1'),
} satisfies Checks<BudgetDefinition>;

const budget = options(shape)
  .partial({ of: true, only: true, cost: true, totalTokens: true, runs: true, onEnd: true, warnAt: true })
  .refine(
    ({ cost, totalTokens, runs }) => [cost, totalTokens, runs].some((limit) => limit !== undefined),
    'has neither cost, nor totalTokens, nor runs',
  )
  .refine(
    ({ of = 'all', only }) => only === undefined || of !== 'all',
    "has `only`, which takes of: 'agent' or of: 'tenant'",
  );

export const budgetsSchema = z
  .array(budget)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'two budgets have one name');

/** Finds the accounts that count the model calls of a run. Throws {@link ConfigError} for a budget of an agent that is not there. */
export function createBudgetsOf(
  definitions: readonly BudgetDefinition[],
  agents: ReadonlyMap<string, AgentDefinition>,
) {
  for (const { name, of, only } of definitions) {
    if (of !== 'agent' || only === undefined || agents.has(only)) continue;
    throw new ConfigError(
      `budgets: "${name}" is of the agent "${only}", which is not in the config. It has: ${[...agents.keys()].join(', ')}.`,
    );
  }
  return ({ name: agent, tenant = '' }: Pick<AgentManifest, 'name' | 'tenant'>): BudgetAccount[] =>
    definitions.flatMap(({ of = 'all', only, onEnd = 'wait', warnAt = 0.8, ...rest }) => {
      const key = { all: '', agent, tenant }[of];
      return only === undefined || only === key ? [{ rule: { ...rest, of, onEnd, warnAt }, key }] : [];
    });
}

/** Refuses a budget of money for a model without a price. Throws {@link ConfigError}. */
export function checkBudgetPrices(
  manifest: AgentManifest,
  budgetsOf: ReturnType<typeof createBudgetsOf> | undefined,
): void {
  const counting = budgetsOf?.(manifest).find(({ rule }) => rule.cost !== undefined);
  const model = modelsOf(manifest).find(({ price }) => price === undefined)?.model;
  if (counting === undefined || model === undefined) return;
  throw new ConfigError(
    `The budget "${counting.rule.name}" counts dollars, but there is no price of "${model}" (agent "${manifest.name}"). Add to defineConfig: prices: { '${model}': { input, output } }, in US dollars per million tokens; 0 for a model that costs nothing.`,
  );
}
