import type { BudgetAccount, BudgetAmount } from './budget-rule.ts';

/** Amounts of a request that does not fit: the rest of the limit, and the request's estimate. */
interface Shortage {
  limit: BudgetAmount;
  left: number;
  needs: number;
}

/** Sentence for a request that does not fit in a budget; `again` is the start of the next period. */
export function accountWords(
  { rule: { name, of, per }, key }: BudgetAccount,
  over: keyof BudgetAmount,
  { limit, left, needs }: Shortage,
  again: number,
): string {
  const whole = `${amountWords(over, limit[over] ?? 0)} a ${per}${keyWords(of, key)}`;
  const end =
    left === 0
      ? `${whole} is used up`
      : `of ${whole}, ${amountWords(over, left)} is left, and the request is reckoned with ${amountWords(over, needs)}`;
  return `the budget "${name}": ${end}; it begins again ${utcMinute(again)}`;
}

/** Sentence for a budget whose share `warnAt` is passed. */
export function shareWords({ rule: { name, of }, key }: BudgetAccount, share: number): string {
  return `the budget "${name}"${keyWords(of, key)} is used to ${Math.floor(share * 100)} %`;
}

/** `2026-12-01 00:00 UTC`. */
export function utcMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function amountWords(name: keyof BudgetAmount, amount: number): string {
  return name === 'cost' ? `$${amount}` : `${amount} tokens`;
}

function keyWords(of: BudgetAccount['rule']['of'], key: string): string {
  if (of === 'all') return '';
  return key === '' ? ` of runs without a ${of}` : ` of the ${of} "${key}"`;
}
