import { cancelledTool } from '../../agent/observation/observations.ts';
import type { Boundary } from './boundary-rig.ts';

/**
 * The crash table: every boundary at which a worker can die with something under way. A run that waits for a person has nothing under way;
 * the next worker replays it, as test/replay does with every recorded wait.
 */

/** A row, and what is not as if nothing had happened. */
export interface Row extends Boundary {
  /** By call, where a tool's own word is not what the model is told. */
  observed?: { [call: string]: unknown };
  /** How often the model may have been asked for a step, and a tool be run for a call, where that is more than once. */
  asks?: { [step: string]: number };
  runs?: { [call: string]: number };
  /** Calls that take effect, where not all do. */
  effects?: string[];
  /** The last step before the run is continued as new, where that is what the row is about. */
  continuesAfter?: string;
  /** What the model is told by a person. */
  said?: string;
  /** Steps and effects of a run that is cancelled are the first of its script's. */
  status?: 'cancelled';
}

const SAID = 'Mind the gap.';
const script = [
  ['work', 'a'],
  ['work', 'b'],
  ['work', 'c'],
] as const;
const secondly = (tool: string, input = 'b') => [script[0], [tool, input], script[2]] as const;

export const rows: readonly Row[] = [
  { when: 'at the very beginning', script, diesAt: 'run_started' },
  {
    when: 'before the model has answered',
    script,
    hangsAt: { step: '2' },
    before: ({ asked }) => asked('2'),
    asks: { '2': 2 },
  },
  {
    when: 'in the middle of the reply of the model',
    script,
    hangsAt: { step: '2', text: ' I think that I need' },
    before: ({ seen }) => seen('model_text'),
    asks: { '2': 2 },
  },
  {
    when: 'when the model has answered, and that is not recorded yet',
    script: secondly('guarded'),
    diesAt: 'asked 2.1',
    async after({ waiting, run }) {
      await waiting('2.1');
      await run.decide('2.1', { type: 'approve' });
    },
    asks: { '2': 2 },
  },
  { when: 'when the reply is recorded, and the tool is not scheduled yet', script, diesAt: 'model_ended 2' },
  { when: 'in a tool, before its effect', script, diesAt: 'in 2.1', runs: { '2.1': 2 } },
  {
    when: 'when a tool has taken effect, and that is not recorded yet',
    script,
    diesAt: 'done 2.1',
    runs: { '2.1': 2 },
  },
  {
    when: 'in the second of two calls of a turn',
    agent: 'twofold',
    script: [
      ['work', 'a'],
      ['work', 'b'],
    ],
    holdsAt: 'in 1.2',
    before: async ({ begun, seen }) => [await begun('1.2'), await seen('step', '1.1')],
    runs: { '1.2': 2 },
  },
  {
    when: 'as the run is continued as new',
    script,
    diesAt: 'step 2.1',
    continuesAfter: '2.1',
  },
  {
    when: 'right after the run was continued as new',
    script,
    hangsAt: { step: '3' },
    continuesAfter: '2.1',
    before: ({ asked }) => asked('3'),
    asks: { '3': 2 },
  },
  { when: 'as the run ends', script, diesAt: 'run_ended' },
  {
    when: 'right after an approval was accepted',
    script: secondly('guarded'),
    async before({ waiting, run }) {
      await waiting('2.1');
      await run.decide('2.1', { type: 'approve' });
    },
    // On a busy machine the kill comes when the run is there already.
    asks: { '3': 2 },
    runs: { '2.1': 2 },
  },
  {
    when: 'as it takes a decision',
    script: secondly('guarded'),
    async before({ waiting, run }) {
      await waiting('2.1');
      await run.decide('2.1', { type: 'approve' });
    },
    diesAt: 'decided 2.1',
  },
  {
    when: 'during the cancel of one call',
    script: secondly('work'),
    holdsAt: 'in 2.1',
    async before({ begun, run }) {
      await begun('2.1');
      await run.decide('2.1', { type: 'cancelCall' });
    },
    observed: { '2.1': cancelledTool(undefined) },
    effects: ['1.1', '3.1'],
  },
  {
    when: 'during the cancel of the run',
    script: secondly('work'),
    holdsAt: 'in 2.1',
    async before({ begun, run }) {
      await begun('2.1');
      await run.cancel();
    },
    runs: { '2.1': 2 },
    status: 'cancelled',
  },
  {
    when: 'while the run is paused',
    script,
    holdsAt: 'in 2.1',
    async before({ begun, run }) {
      await begun('2.1');
      await run.pause();
    },
    async after({ seen, run, is }) {
      await seen('step', '2.1');
      await is('paused');
      await run.resume();
    },
    runs: { '2.1': 2 },
  },
  {
    when: 'right after something was said to the model',
    script,
    holdsAt: 'in 2.1',
    async before({ begun, run }) {
      await begun('2.1');
      await run.say(SAID);
    },
    said: SAID,
    runs: { '2.1': 2 },
  },
  {
    when: 'right after the run was taken back',
    script,
    hangsAt: { step: '4' },
    async before({ asked, run }) {
      await asked('4');
      await run.rewind({ step: 2 });
    },
    asks: { '2': 3, '3': 3, '4': 2 },
    runs: { '2.1': 3, '3.1': 3 },
  },
  {
    when: 'right after the run was taken back to before what may take effect once only',
    script: secondly('pay'),
    hangsAt: { step: '4' },
    async before({ asked, run }) {
      await asked('4');
      await run.rewind({ step: 2 });
    },
    async after({ waiting, run }) {
      await waiting('2.1', 'repeated');
      await run.decide('2.1', { type: 'resolve', output: 'paid before' });
    },
    asks: { '2': 3, '3': 2, '4': 2 },
    runs: { '3.1': 2 },
    observed: { '2.1': 'paid before' },
  },
];
