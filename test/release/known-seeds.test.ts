import { beforeAll, expect, test } from 'vitest';
import { mutants } from '../simulation/mutants.ts';
import { type Seeds, loadSeeds } from '../simulation/seeds.ts';

/** Real time for seeds that no test had before, beside those of `npm test`. */
const FRESH_SECONDS = 145;

/** Seeds that once broke a law, and take more than 5 s; the others are in test/simulation/simulation.test.ts. */
const FAILED_ONCE: [seed: number, problem: string][] = [
  [44, 'a repeated decision was refused after the end of the run'],
  [871, 'the laws asked about a call whose tool a deploy had removed'],
  [10_834, 'the laws did not know of a pause that had reached the next run of the id'],
  [50_069, 'the virtual core told a workflow twice of the end of a local activity'],
  [5_000_176, 'a call that a worker without its tool had planned was done again unasked'],
];

let seeds: Seeds;
beforeAll(async () => {
  seeds = await loadSeeds();
});

test.each(FAILED_ONCE)('no law is broken by seed %i, where once %s', async (seed) => {
  expect(await seeds.problemsOf(seed)).toEqual([]);
});

const known = new Map(mutants.flatMap(({ seed, name }) => (seed === undefined ? [] : [[seed, name]])));

test.each([...known])('no law is broken by seed %i, which finds out if %s', async (seed) => {
  expect(await seeds.problemsOf(seed)).toEqual([]);
});

test('no law is broken by fresh seeds', async () => {
  expect(await seeds.problemsOfFresh(FRESH_SECONDS)).toEqual([]);
});
