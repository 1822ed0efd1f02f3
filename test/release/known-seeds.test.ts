import { beforeAll, expect, test } from 'vitest';
import { mutants } from '../simulation/mutants.ts';
import { type Seeds, loadSeeds } from '../simulation/seeds.ts';

/** Real time for seeds that no test had before, beside those of `npm test`. */
const FRESH_SECONDS = 120;

let seeds: Seeds;
beforeAll(async () => {
  seeds = await loadSeeds();
});

const known = new Map(mutants.flatMap(({ seed, name }) => (seed === undefined ? [] : [[seed, name]])));

test.each([...known])('no law is broken by seed %i, which finds out if %s', async (seed) => {
  expect(await seeds.problemsOf(seed)).toEqual([]);
});

test('no law is broken by fresh seeds', async () => {
  expect(await seeds.problemsOfFresh(FRESH_SECONDS)).toEqual([]);
});
