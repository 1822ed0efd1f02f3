import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { editsOf, mutants } from './mutants.ts';
import { type Seeds, loadSeeds } from './seeds.ts';

/** Real time for seeds that no test had before. */
const seconds = Number(process.env['RELOOP_SIMULATION_SECONDS'] ?? 5);
const MOST_SECONDS = 3_600;

/** Seeds that once broke a law, and what was wrong. Those of more than 5 s are in test/release/known-seeds.test.ts. */
const FAILED_ONCE: [seed: number, problem: string][] = [
  [65, 'the laws looked for messages of tools in the second request for a summary, which has none'],
  [1_141, 'a reader took a sub-agent for resumed whose parent was paused'],
  [1_374, 'the laws did not know that Temporal had run an external tool again'],
  [2_224, 'the laws took the observations of a shortened request for lost ones'],
  [8_113, 'a retry repeated a message that the model had been told'],
  [8_144, 'a tool began after the cancellation of its call'],
  [10_118, 'the laws asked for the order of two rewinds'],
  [14_226, 'onEvent was not told of the words before a run that ended without its agent'],
  [27_722, 'the workflow took a decision, and readers saw the end of its time'],
  [33_193, 'a reader took the new input of a retried sub-agent for a text'],
  [500_079, 'the result of a run that its time limit had stopped lacked attempts'],
  [3_000_047, 'a rewind to before a handoff kept the later agent'],
  [3_000_059, 'another agent than that of the conversation wrote its summary'],
  [3_000_859, 'the inline calls of a turn that was cancelled in a pause were not reported'],
  [4_000_377, 'a cancellation during `afterTool` hid the effect of a call'],
  [5_000_964, 'the laws took two equal answers of a person, a summary and a reply, for one'],
  [11_000_040, 'a retry did not say again what was said right before the end of the run'],
  [835_052_437, 'a word was refused that a run had taken, where a rewind had dropped its step'],
];

let seeds: Seeds;
beforeAll(async () => {
  seeds = await loadSeeds();
});

test.each(FAILED_ONCE)('no law is broken by seed %i, where once %s', async (seed) => {
  expect(await seeds.problemsOf(seed)).toEqual([]);
});

test(
  `no law is broken by fresh seeds in ${seconds} s`,
  async () => {
    expect(await seeds.problemsOfFresh(seconds)).toEqual([]);
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
  const [one, two] = [await seeds.storyOf(186), await seeds.storyOf(186)];
  expect(two).toEqual(one);
});
