import { type Usage, dollars, knownCost } from '../values/vocabulary.ts';

/** Limits on the usage of a run, with its tools' model calls and its sub-agents. null or undefined: no limit. */
export interface Budget {
  totalTokens?: number | null | undefined;
  /** US dollars; takes the price of the model. */
  cost?: number | null | undefined;
}

/** The agent's budget, each limit overridden by the run's; null for no limit. */
export function overriddenBudget(own: Budget = {}, given: Budget = {}): Budget | undefined {
  return budgetOf({
    totalTokens: given.totalTokens === undefined ? own.totalTokens : given.totalTokens,
    cost: given.cost === undefined ? own.cost : given.cost,
  });
}

/** The smaller limits of two budgets that both hold. */
export function smallerBudget(a: Budget = {}, b: Budget = {}): Budget | undefined {
  return budgetOf({
    totalTokens: smaller(a.totalTokens, b.totalTokens),
    cost: smaller(a.cost, b.cost),
  });
}

/** Tokens as a budget counts them: counted tokens, and an estimate for calls whose tokens the server did not report. */
export function budgetTokens({ totalTokens, estimatedTokens = 0 }: Usage): number {
  return totalTokens + estimatedTokens;
}

/** The same in US dollars. */
export function budgetCost(usage: Usage): number {
  return dollars(knownCost(usage) + (usage.estimatedCost ?? 0));
}

/** The budget with the limits that are set; undefined if none is set. */
function budgetOf({ totalTokens, cost }: Budget): Budget | undefined {
  const budget = { totalTokens: totalTokens ?? undefined, cost: cost ?? undefined };
  return budget.totalTokens === undefined && budget.cost === undefined ? undefined : budget;
}

function smaller(a: number | null | undefined, b: number | null | undefined): number | undefined {
  const least = Math.min(a ?? Infinity, b ?? Infinity);
  return least === Infinity ? undefined : least;
}
