import type { LongRun, ShortRuns } from './measures.ts';

/** Everything that was measured, each number of each round. */
export interface Results {
  longRuns: LongRun[];
  shortRuns: ShortRuns[];
}

/** What the others are compared with. */
const BASELINES = ['floor', 'append', 'reloop'];

/** The pairs of names whose ratios are printed: each of Reloop's contestants beside what it is compared with. */
export function comparedPairs(names: readonly string[]): (readonly [string, string])[] {
  const ours = names.filter((name) => name.startsWith('reloop'));
  const baselines = BASELINES.filter((name) => names.includes(name));
  return ours.flatMap((name) =>
    baselines.filter((baseline) => baseline !== name).map((baseline) => [name, baseline] as const),
  );
}

/** Of odd many the middle one; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** One contestant's values, one of each round. */
export function ofContestant<M extends { contestant: string }>(
  measured: readonly M[],
  contestant: string,
  value: (one: M) => number,
): number[] {
  return measured.filter((one) => one.contestant === contestant).map(value);
}

/**
 * How many times as much one contestant has as another, for each round: the disturbances of a round are the same for both.
 */
export function ratios<M extends { contestant: string; round: number }>(
  measured: readonly M[],
  [contestant, baseline]: readonly [string, string],
  value: (one: M) => number,
): number[] {
  return measured
    .filter((one) => one.contestant === contestant)
    .flatMap((one) => {
      const other = measured.find(({ contestant: name, round }) => name === baseline && round === one.round);
      return other === undefined ? [] : [value(one) / value(other)];
    });
}
