import { beforeAll, expect, test } from 'vitest';
import { mutants } from '../simulation/mutants.ts';
import { type Seeds, loadSeeds } from '../simulation/seeds.ts';

/** Real time for seeds that no test had before, beside those of `npm test`. */
const FRESH_SECONDS = 145;

/** Seeds that once broke a law, and take more than 1 s; the others are in test/simulation/simulation.test.ts. */
const FAILED_ONCE: [seed: number, problem: string][] = [
  [44, 'a repeated decision was refused after the end of the run'],
  [65, 'the laws looked for messages of tools in the second request for a summary, which has none'],
  [871, 'the laws asked about a call whose tool a deploy had removed'],
  [1_141, 'a reader took a sub-agent for resumed whose parent was paused'],
  [1_374, 'the laws did not know that Temporal had run an external tool again'],
  [2_224, 'the laws took the observations of a shortened request for lost ones'],
  [8_113, 'a retry repeated a message that the model had been told'],
  [8_144, 'a tool began after the cancellation of its call'],
  [10_118, 'the laws asked for the order of two rewinds'],
  [10_834, 'the laws did not know of a pause that had reached the next run of the id'],
  [27_722, 'the workflow took a decision, and readers saw the end of its time'],
  [33_193, 'a reader took the new input of a retried sub-agent for a text'],
  [50_069, 'the virtual core told a workflow twice of the end of a local activity'],
  [500_079, 'the result of a run that its time limit had stopped lacked attempts'],
  [3_000_047, 'a rewind to before a handoff kept the later agent'],
  [3_000_059, 'another agent than that of the conversation wrote its summary'],
  [4_000_377, 'a cancellation during `afterTool` hid the effect of a call'],
  [5_000_176, 'a call that a worker without its tool had planned was done again unasked'],
  [7_000_801, 'the laws followed one of two people who began an ended run again at once'],
  [
    7_000_979,
    'a request had other call ids once its worker read the run from history, after a handoff and a continue-as-new',
  ],
  [11_000_040, 'a retry did not say again what was said right before the end of the run'],
  [835_052_437, 'a word was refused that a run had taken, where a rewind had dropped its step'],
  [5_003_805, 'the laws did not know that one of two agents writes results in native calls'],
  [993_550_284, 'the laws did not know that a word may reach two runs of an id'],
  [1_303, 'the laws looked for waits of background calls in a record that ends before them'],
  [910_575_626, 'a retried tool began half a second after its run had been reset'],
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
