import type { Usage } from '../../agent/vocabulary.ts';

/** What was paid, as a word or none: nothing where no price is known, `at least` where that of a part is not. */
export function costWords({ cost, partialCost }: Usage): string[] {
  if (cost !== undefined) return [usDollars(cost)];
  return partialCost === undefined ? [] : [`at least ${usDollars(partialCost)}`];
}

/** Amounts of one run are small: four digits, of 0 none, and cents from one dollar on. */
function usDollars(amount: number): string {
  if (amount === 0) return '$0';
  if (amount < 0.0001) return '<$0.0001';
  const digits = amount < 1 ? 4 : 2;
  const shape = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `$${amount.toLocaleString('en-US', shape)}`;
}
