import type { BudgetAccount, BudgetAmount } from './budget-rule.ts';

/** Amounts of a request that does not fit: the rest of the limit, and the request's estimate. */
interface Shortage {
  limit: BudgetAmount;
  left: number;
  needs: number;
}

/** Sentence for a request that does not fit in a budget; `again` is the start of the next period. */
export function accountWords(
  account: BudgetAccount,
  over: keyof BudgetAmount,
  { limit, left, needs }: Shortage,
  again: number,
): string {
  const whole = wholeWords(account, over, limit);
  const rest = `${amountWords(over, left)} ${over !== 'cost' && left !== 1 ? 'are' : 'is'} left`;
  const end =
    left === 0
      ? `${whole} is used up`
      : `of ${whole}, ${rest}, and the request is estimated at ${amountWords(over, needs)}`;
  return `the budget "${account.rule.name}": ${end}; it begins again ${utcMinute(again)}`;
}

/** Sentence for a request that is larger than all of a budget. */
export function tooLargeWords(
  account: BudgetAccount,
  over: keyof BudgetAmount,
  { limit, needs }: Pick<Shortage, 'limit' | 'needs'>,
): string {
  const whole = wholeWords(account, over, limit);
  return `the budget "${account.rule.name}": the request is estimated at ${amountWords(over, needs)}, and all of the budget is ${whole}. Extend the budget, or ask with a shorter prompt`;
}

function wholeWords(
  { rule: { of, per }, key }: BudgetAccount,
  over: keyof BudgetAmount,
  limit: BudgetAmount,
) {
  return `${amountWords(over, limit[over] ?? 0)} a ${per}${keyWords(of, key)}`;
}

/** Sentence for a budget whose share `warnAt` is passed. */
export function shareWords({ rule: { name, of }, key }: BudgetAccount, share: number): string {
  return `the budget "${name}"${keyWords(of, key)} is used to ${Math.floor(share * 100)} %`;
}

/** `2026-12-01 00:00 UTC`. */
export function utcMinute(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** `$0.50`, `1,000 tokens`, `3 runs`. */
export function amountWords(name: keyof BudgetAmount, amount: number): string {
  const unit = { cost: undefined, totalTokens: 'token', runs: 'run' }[name];
  if (unit !== undefined) return `${amount.toLocaleString('en-US')} ${unit}${amount === 1 ? '' : 's'}`;
  const digits = { minimumFractionDigits: Number.isInteger(amount) ? 0 : 2, maximumFractionDigits: 10 };
  return `$${amount.toLocaleString('en-US', digits)}`;
}

function keyWords(of: BudgetAccount['rule']['of'], key: string): string {
  if (of === 'all') return '';
  return key === '' ? ` of runs without a ${of}` : ` of the ${of} "${key}"`;
}
