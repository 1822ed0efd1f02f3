import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { editsOf, mutants } from './mutants.ts';
import type { Sandbox } from './sdk.ts';
import { loadSandbox, simulate } from './simulate.ts';

/** Seconds of real time for seeds that no test had before. Default: the same seeds in each run. */
const { RELOOP_SIMULATION_SECONDS: seconds } = process.env;
const MOST_SECONDS = 3_600;
const [FIRST_SEED, LAST_SEED] = [2, 8];

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await loadSandbox();
  // Modules that are imported late are there from now on: an import takes real time, in which the virtual clock goes on.
  await simulate(sandbox, 1);
});

const problemsOf = async (seed: number) =>
  (await simulate(sandbox, seed)).problems.map(
    (problem) => `${problem}\nRepeat: npm run simulate -- --seed ${seed} --runs 1 --shrink`,
  );

const seeds = new Map(mutants.flatMap(({ seed, name }) => (seed === undefined ? [] : [[seed, name]])));

test.each([...seeds])('no law is broken by seed %i, which finds out if %s', async (seed) => {
  expect(await problemsOf(seed)).toEqual([]);
});

test(
  `no law is broken by ${seconds === undefined ? `seeds ${FIRST_SEED} to ${LAST_SEED}` : `fresh seeds in ${seconds} s`}`,
  async () => {
    const first = seconds === undefined ? FIRST_SEED : Date.now() % 1_000_000_000;
    const end = performance.now() + Number(seconds) * 1000;
    const isOver = (seed: number) => (seconds === undefined ? seed > LAST_SEED : performance.now() > end);
    let seed = first;
    for (; !isOver(seed); seed++) {
      // The tests above have run these.
      const problems = seeds.has(seed) ? [] : await problemsOf(seed);
      expect(problems).toEqual([]);
    }
    expect(seed).toBeGreaterThan(first);
    console.log(`simulation: seeds ${first} to ${seed - 1}`);
  },
  MOST_SECONDS * 1000,
);

test.each(mutants.flatMap(editsOf))(
  'the text that a mutant replaces stands once in $file: $find',
  ({ file, find }) => {
    expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
  },
);

test('the same seed gives the same story', async () => {
  const [one, two] = [await simulate(sandbox, 186), await simulate(sandbox, 186)];
  expect(two.story).toEqual(one.story);
});
