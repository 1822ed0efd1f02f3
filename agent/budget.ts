import { type Usage, dollars, knownCost } from './vocabulary.ts';

/** What a run may use up, with its tools' model calls and its sub-agents. null or nothing: no limit. */
export interface Budget {
  totalTokens?: number | null | undefined;
  /** US dollars; takes the price of the model. */
  cost?: number | null | undefined;
}

/** The agent's own budget with what a run has in its place: each limit by itself, null for none. */
export function overriddenBudget(own: Budget = {}, given: Budget = {}): Budget | undefined {
  return budgetOf({
    totalTokens: given.totalTokens === undefined ? own.totalTokens : given.totalTokens,
    cost: given.cost === undefined ? own.cost : given.cost,
  });
}

/** Of two budgets that both hold, the smaller limits. */
export function smallerBudget(a: Budget = {}, b: Budget = {}): Budget | undefined {
  return budgetOf({
    totalTokens: smaller(a.totalTokens, b.totalTokens),
    cost: smaller(a.cost, b.cost),
  });
}

/** What a budget of tokens reckons with: those that were counted, and a guess for calls whose tokens the server did not say. */
export function reckonedTokens({ totalTokens, estimatedTokens = 0 }: Usage): number {
  return totalTokens + estimatedTokens;
}

/** The same in US dollars. */
export function reckonedCost(usage: Usage): number {
  return dollars(knownCost(usage) + (usage.estimatedCost ?? 0));
}

/** Only the limits there are; undefined where there are none. */
function budgetOf({ totalTokens, cost }: Budget): Budget | undefined {
  const budget = { totalTokens: totalTokens ?? undefined, cost: cost ?? undefined };
  return budget.totalTokens === undefined && budget.cost === undefined ? undefined : budget;
}

function smaller(a: number | null | undefined, b: number | null | undefined): number | undefined {
  const least = Math.min(a ?? Infinity, b ?? Infinity);
  return least === Infinity ? undefined : least;
}
