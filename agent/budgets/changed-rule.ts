import { canonicalJson } from '../values/json-object.ts';
import type { BudgetRule } from './budget-rule.ts';
import { type Ledger, type LedgerPeriod, extended, sum } from './ledger-state.ts';
import { periodStart } from './periods.ts';

export function isSameRule(one: BudgetRule, other: BudgetRule): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

/** The ledger with the rule that the config has now. Days become a part of their month; a month becomes its first day. */
export function underRule(ledger: Ledger, rule: BudgetRule): Ledger {
  const { account, open } = ledger;
  if (isSameRule(account.rule, rule)) return ledger;
  const next = { ...ledger, account: { ...account, rule } };
  if (account.rule.per === rule.per) return next;
  return {
    ...next,
    periods: ledger.periods.reduce<LedgerPeriod[]>((periods, period) => {
      const from = periodStart(rule.per, period.from);
      const last = periods.at(-1);
      if (last?.from !== from) return [...periods, { ...period, from, warned: false }];
      return [...periods.slice(0, -1), together(last, period)];
    }, []),
    open: open.map((one) => ({ ...one, from: periodStart(rule.per, one.at) })),
  };
}

function together(one: LedgerPeriod, other: LedgerPeriod): LedgerPeriod {
  return {
    ...one,
    used: sum(one.used, other.used),
    unsettled: sum(one.unsettled, other.unsettled),
    extra: extended(one.extra, other.extra),
  };
}
