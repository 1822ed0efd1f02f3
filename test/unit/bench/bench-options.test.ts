import { expect, test } from 'vitest';
import { benchOptions } from '../../../bench/bench-options.ts';
import { chooseContestants } from '../../../bench/contestants.ts';
import { printedResults } from '../../../bench/print-results.ts';
import { median, ratios } from '../../../bench/results.ts';

test('options that are left out are those of a whole run, or of a quick one', () => {
  const whole = {
    rounds: 3,
    steps: [20, 100, 300],
    concurrency: [1, 16, 64],
    runSteps: 5,
    observation: 2048,
  };
  expect(benchOptions([])).toEqual({ ...whole, only: undefined, json: undefined });
  const only = ['floor', 'append', 'reloop'];
  const quick = { ...whole, rounds: 1, steps: [5], concurrency: [2], only, json: undefined };
  expect(benchOptions(['--quick'])).toEqual(quick);
  const some = benchOptions(['--quick', '--only', 'floor', '--steps', '7']);
  expect(some).toEqual({ ...quick, only: ['floor'], steps: [7] });
});

test.each([
  [['--steps', '20,many'], '--steps: "many" is not a whole number above 0.'],
  [['--rounds', '0'], '--rounds: "0" is not a whole number above 0.'],
  [['--fast'], "Unknown option '--fast'"],
])('%j is refused', (args, sentence) => {
  expect(() => benchOptions(args)).toThrow(sentence);
});

test('contestants are taken in the order they are named in, and a name that nobody has is refused', () => {
  expect(chooseContestants(['reloop', 'floor']).map(({ name }) => name)).toEqual(['reloop', 'floor']);
  expect(() => chooseContestants(['flor'])).toThrow('No contestant "flor": floor, append, reloop,');
});

test('a ratio is taken round by round, so that what disturbs a round is no difference', () => {
  const of = (contestant: string, values: number[]) =>
    values.map((value, round) => ({ contestant, round, value }));
  const measured = [...of('floor', [10, 100, 12]), ...of('reloop', [11, 110, 13.2])];
  const found = (...pair: [string, string]) => median(ratios(measured, pair, ({ value }) => value));
  expect(found('reloop', 'floor')).toBeCloseTo(1.1);
  expect(found('reloop', 'append')).toBeNaN();
  expect([median([3, 1, 2]), median([4, 1]), median([])]).toEqual([2, 2.5, Number.NaN]);
});

test('each median has the least and the most of its rounds beside it', () => {
  const of = (contestant: string, values: number[]) =>
    values.map((runsPerSecond, round) => {
      return { contestant, round, steps: 5, concurrency: 1, runsPerSecond, workerCpuMs: 2, serverCpuMs: 3 };
    });
  const shortRuns = [...of('floor', [10, 8, 9]), ...of('reloop', [5, 6, 9])];
  const printed = printedResults({ longRuns: [], shortRuns });
  expect(printed).toMatch(/^floor +9\.0 \(8\.0-10\.0\) +2\.0 +3\.0$/mu);
  expect(printed).toMatch(/^reloop\/floor +0\.75 \(0\.50-1\.00\) +1\.00 +1\.00$/mu);
});
