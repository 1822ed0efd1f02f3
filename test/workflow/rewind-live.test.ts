import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { toldAndRecorded } from '../support/told-events.ts';
import { type Script, modelOfCalls, outage, rewindTools } from '../support/live-rewinds.ts';
import { type Rig, eventOf, startRig } from '../support/rig.ts';

/** A live run rewinds itself, wherever it is. The worker's `onEvent` and the reader of the history tell the same. */

const told = new Map<string, RunEvent[]>();

const kind = 'tool-calling';
const base = { kind, tools: rewindTools } as const;
const first: Script = { '1': [['echo', 'a']] };
const states: [
  where: string,
  agent: { script: Script; again?: Script; options?: object },
  until: (run: AgentRun) => Promise<unknown>,
  after?: (run: AgentRun) => Promise<unknown>,
][] = [
  [
    'a model call',
    { script: { ...first, '2': [['hangs', '']] } },
    (run) => started(run, '2', 'model_started'),
  ],
  [
    'a tool that minds its cancellation',
    { script: { ...first, '2': [['slow', '']] } },
    (run) => started(run, '2.1'),
  ],
  ['a tool that does not', { script: { ...first, '2': [['stubborn', '']] } }, (run) => started(run, '2.1')],
  [
    'calls side by side of which one is over and one waits',
    {
      script: {
        ...first,
        '2': [
          ['echo', 'b'],
          ['guarded', 'c'],
          ['slow', ''],
        ],
      },
    },
    async (run) => {
      await waits(run, '2.2');
      await eventOf(run.events({ live: false }), 'step', ({ step }) => step.call === '2.1');
    },
  ],
  [
    'a turn with an inline call, and one after it that waits',
    {
      script: { ...first, '2': [['inline', 'b']], '3': [['guarded', 'c']] },
      again: { '2': [['inline', 'd']] },
    },
    (run) => waits(run, '3.1'),
  ],
  ['a deferred call', { script: { ...first, '2': [['job', 'b']] } }, (run) => waits(run, '2.1')],
  [
    'a call in doubt',
    { script: { ...first, '2': [['pays', 'lost']] }, again: { '2': [['pays', 'lost']] } },
    (run) => waits(run, '2.1'),
    async (run) => {
      await waits(run, '2.1', 1);
      expect((await run.describe()).waiting).toMatchObject([{ reason: 'repeated' }]);
      await run.decide('2.1', { type: 'resolve', output: 'it was paid' }, 1);
    },
  ],
  [
    'a sub-agent that waits',
    { script: { ...first, '2': [['helper', 'help']] }, again: { '2': [['helper', 'again']] } },
    (run) => waits(run, '2.1/1.1'),
    async (run) => {
      await waits(run, '2.1~1/1.1');
      await run.decide('2.1~1/1.1', { type: 'approve' });
    },
  ],
  [
    'a sub-agent that takes long to end',
    { script: { ...first, '2': [['slowHelper', 'help']] } },
    async (run) => {
      await expect
        .poll(() =>
          started(rig.client.get(`${run.id}/2.1`), '1.1').then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
    },
  ],
  [
    'a pause, with something that the model has not seen',
    { script: { ...first, '2': [['slow', '']] } },
    async (run) => {
      await started(run, '2.1');
      await run.pause();
      await run.say('too early');
    },
    (run) => run.say('in time').catch(() => undefined),
  ],
  [
    'a limit',
    { script: { ...first, '2': [['echo', 'b']] }, options: { maxIterations: 2, onLimit: 'ask' } },
    (run) => waits(run, '3'),
  ],
];

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({
    agents: [
      ...states.map(([, { script, again, options }], index) => ({
        ...base,
        name: `state-${index}`,
        model: modelOfCalls(script, again),
        ...options,
      })),
      { ...base, name: 'helper', model: modelOfCalls({ '1': [['guarded', 'below']] }) },
      { ...base, name: 'slow helper', model: modelOfCalls({ '1': [['late', '']] }) },
      { ...base, name: 'waits', model: modelOfCalls({ ...first, '2': [['guarded', 'b']] }) },
      {
        ...base,
        name: 'outage',
        model: modelOfCalls({ ...first }),
        onModelFailure: 'ask',
      },
    ],
    onEvent: (event, { id }) => void told.set(id, [...(told.get(id) ?? []), event]),
  });
}, 60_000);
afterAll(() => rig.stop());

async function waits(run: AgentRun, call: string, n = 0): Promise<void> {
  const events = run.events({ live: false });
  await eventOf(events, 'waiting', ({ wait }) => wait.call === call && wait.n === n);
}

async function started(run: AgentRun, call: string, type: 'tool_started' | 'model_started' = 'tool_started') {
  await eventOf(run.events({ live: false }), type, (event) => event.call === call);
  await sleep(200); // the worker has it
}

/** The worker has told what the history says, up to its end. */
async function toldTheSame(run: AgentRun): Promise<string[]> {
  const { told: heard, recorded, lines } = await toldAndRecorded(run, () => told.get(run.id) ?? []);
  expect(heard).toEqual(recorded);
  return lines;
}

test.each(states.map(([where, , until, after], index) => ({ where, until, after, agent: `state-${index}` })))(
  'a run rewinds itself out of $where',
  async ({ agent, until, after }) => {
    const run = await rig.client.start(agent, 'what?');
    await until(run);
    const { runId } = await run.describe();
    expect(await run.rewind({ step: 2 })).toEqual({ id: run.id, runId, step: 2 });
    await after?.(run);
    const { output, intermediateSteps } = await run.result();
    expect(output).toMatch(/^the answer at [23]$/u);
    expect(intermediateSteps[0]).toMatchObject({ call: '1.1' });
    expect(await run.describe()).toMatchObject({ runId, status: 'completed', waiting: [] });
    const lines = await toldTheSame(run);
    expect(lines.filter((line) => line.startsWith('restarted'))).toHaveLength(1);
  },
);

test('a run that is cancelled while it rewinds itself is cancelled', async () => {
  const run = await rig.client.start('waits', 'what?');
  await waits(run, '2.1');
  await run.rewind({ step: 2 });
  await run.cancel();
  await expect(run.result()).rejects.toThrow('cancelled');
});

test('a run rewinds itself out of the wait for a model that failed', async () => {
  const run = await rig.client.start('outage', 'what?');
  outage.isOn = true;
  await waits(run, '1').catch(() => waits(run, '2'));
  outage.isOn = false;
  await run.rewind({ step: 1 });
  expect((await run.result()).output).toMatch(/^the answer/u);
  await toldTheSame(run);
});
