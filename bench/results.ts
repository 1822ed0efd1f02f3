import type { LongRun, ShortRuns } from './measures.ts';

/** Everything that was measured, each number of each round. */
export interface Results {
  longRuns: LongRun[];
  shortRuns: ShortRuns[];
}

/** What the others are compared with. */
export const BASELINES = ['floor', 'append'];

/** Of odd many the middle one; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** The median of what one contestant was measured to have, and in how many rounds it failed. */
export function ofContestant<M extends { contestant: string }>(
  measured: readonly M[],
  contestant: string,
  value: (one: M) => number,
): number {
  return median(measured.filter((one) => one.contestant === contestant).map(value));
}

/**
 * How many times as much one contestant has as another: the median of the rounds' ratios, as what disturbs a round disturbs
 * both.
 */
export function ratio<M extends { contestant: string; round: number }>(
  measured: readonly M[],
  [contestant, baseline]: readonly [string, string],
  value: (one: M) => number,
): number {
  const ratios = measured
    .filter((one) => one.contestant === contestant)
    .flatMap((one) => {
      const other = measured.find(({ contestant: name, round }) => name === baseline && round === one.round);
      return other === undefined ? [] : [value(one) / value(other)];
    });
  return median(ratios);
}
