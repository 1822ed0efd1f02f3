import { dollars } from '../values/vocabulary.ts';
import type { BudgetAmount, BudgetPeriod, BudgetRule, BudgetUse } from './budget-rule.ts';
import { type LedgerDay, type OpenReservation, none, sum } from './ledger-state.ts';
import { periodEnd } from './periods.ts';

/** A day or month, and its reservations. */
export interface Period extends LedgerDay {
  runs: number;
  open: OpenReservation[];
}

/** Names of the amounts that a budget may limit. */
export const amounts = ['cost', 'totalTokens', 'runs'] as const;

export function spentIn({ open, used, unsettled, runs }: Period): BudgetUse & { runs: number } {
  return { ...open.reduce((all, one) => sum(all, one.estimate), sum(used, unsettled)), runs };
}

export function limitOf(rule: BudgetAmount, extra: BudgetAmount): BudgetAmount {
  const limit = (name: keyof BudgetAmount) => {
    const own = rule[name];
    return own === undefined ? undefined : dollars(own + (extra[name] ?? 0));
  };
  return { cost: limit('cost'), totalTokens: limit('totalTokens'), runs: limit('runs') };
}

export function shareOf(spent: BudgetUse & { runs: number }, limit: BudgetAmount): number {
  const shares = amounts.map((name) => {
    const most = limit[name];
    return most === undefined ? 0 : spent[name] / most;
  });
  return Math.max(...shares);
}

export function periodReport(rule: BudgetRule, period: Period): BudgetPeriod {
  const { from, used, unsettled, extra, grants = [], warned, open, runs } = period;
  const of = (isLost: boolean) =>
    open.filter(({ lost }) => (lost === true) === isLost).reduce((all, one) => sum(all, one.estimate), none);
  const limit = limitOf(rule, extra);
  return {
    from,
    to: periodEnd(rule.per, from),
    limit,
    extensions: grants.map(({ id: _, ...grant }) => grant),
    used,
    reserved: of(false),
    unsettled: sum(unsettled, of(true)),
    runs,
    share: shareOf(spentIn(period), limit),
    warned: warned.includes(rule.per),
  };
}
