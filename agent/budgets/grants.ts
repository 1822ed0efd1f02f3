import type { BudgetExtension } from './budget-rule.ts';
import { amounts } from './ledger-period.ts';
import type { Grant, Ledger, LedgerDay } from './ledger-state.ts';

/** Extensions of an account that its ledger knows one by one. The sum of all stays in the limits. */
const MOST_GRANTS = 200;

/** The extension that the same message has made before. */
export function grantOf({ days }: Ledger, { id, by }: BudgetExtension): Grant | undefined {
  if (id === undefined) return undefined;
  return days.flatMap(({ grants = [] }) => grants).find((grant) => grant.id === id && grant.by === by);
}

/** Problem of a message whose id stands for another extension; undefined: none. */
export function repeatProblem(ledger: Ledger, message: BudgetExtension): string | undefined {
  const grant = grantOf(ledger, message);
  const isSame = amounts.every((name) => grant?.[name] === message[name]);
  if (grant === undefined || isSame) return undefined;
  return `the id "${message.id}" has extended the budget by another amount. Take a new id for another extension`;
}

/** The days without the oldest extensions beyond {@link MOST_GRANTS}. The latest day comes first. */
export function withLatestGrants(days: readonly LedgerDay[]): LedgerDay[] {
  let left = MOST_GRANTS;
  return days.map((day) => {
    const grants = left === 0 ? [] : (day.grants ?? []).slice(-left);
    left -= grants.length;
    return day.grants === undefined ? day : { ...day, grants };
  });
}
