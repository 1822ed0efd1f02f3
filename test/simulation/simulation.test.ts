import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { editsOf, mutants } from './mutants.ts';
import type { Sandbox } from './sdk.ts';
import { loadSandbox, simulate } from './simulate.ts';

const CHUNK = 30;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await loadSandbox();
  // Modules that are imported late are there from now on: an import takes real time, in which the virtual clock goes on.
  await simulate(sandbox, 1);
});

test.each([1, 31, 61])('no law is broken by the %s. seed and the 29 after it', async (first) => {
  const problems: string[] = [];
  for (let seed = first; seed < first + CHUNK; seed++)
    problems.push(...(await simulate(sandbox, seed)).problems.map((problem) => `seed ${seed}: ${problem}`));
  expect(problems).toEqual([]);
});

test.each(mutants.flatMap(editsOf))(
  'the text that a mutant replaces stands once in $file: $find',
  ({ file, find }) => {
    expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
  },
);

test('the same seed gives the same story', async () => {
  const [one, two] = [await simulate(sandbox, 5), await simulate(sandbox, 5)];
  expect(two.story).toEqual(one.story);
});
