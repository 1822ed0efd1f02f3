import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { toldAndRecorded } from '../support/told-events.ts';
import { type Script, effects, gate, modelOfCalls, outage, rewindTools } from '../support/live-rewinds.ts';
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
      {
        ...base,
        name: 'pays twice',
        model: modelOfCalls({ '1': [['pays', 'Ann']], '2': [['guarded', 'x']] }, { '1': [['pays', 'Ann']] }),
      },
      {
        ...base,
        name: 'waits',
        model: modelOfCalls(
          { ...first, '2': [['guarded', 'b']], '3': [['guarded', 'c']] },
          { '2': [['guarded', 'd']], '3': [['guarded', 'e']] },
        ),
      },
      {
        ...base,
        name: 'holds',
        model: modelOfCalls({ ...first, '2': [['gated', 'b']] }, { '2': [['guarded', 'c']] }),
      },
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

test('of a run that rewinds itself no effect is made again unasked', async () => {
  const run = await rig.client.start('pays twice', 'what?');
  await waits(run, '2.1');
  const before = effects.length;
  await run.rewind({ step: 1 });
  await waits(run, '1.1', 1);
  expect((await run.describe()).waiting).toMatchObject([{ call: '1.1', reason: 'repeated' }]);
  await run.decide('1.1', { type: 'skip' });
  await run.result();
  expect(effects).toHaveLength(before);
  await toldTheSame(run);
});

test('a run rewinds itself as often as it is asked to, and is forked and rewound when it is over', async () => {
  const run = await rig.client.start('waits', 'what?');
  await waits(run, '2.1');
  await run.decide('2.1', { type: 'approve' });
  await waits(run, '3.1');
  await run.rewind({ step: 3 });
  await waits(run, '3.1', 1);
  await run.rewind({ step: 2 });
  await waits(run, '2.1', 2);
  await run.decide('2.1', { type: 'approve' }, 2);
  await waits(run, '3.1', 2);
  const { id } = await run.fork({ step: 3 });
  await run.decide('3.1', { type: 'approve' }, 2);
  const { intermediateSteps } = await run.result();
  expect(intermediateSteps).toMatchObject([
    { call: '1.1' },
    { call: '2.1', observation: 'did d' },
    { call: '3.1', observation: 'did e' },
  ]);
  await toldTheSame(run);
  const requests = [];
  for await (const { call } of run.requests({ follow: false })) requests.push(call);
  expect(requests).toEqual(['1', '2', '3', '3', '2', '3', '4']);
  const fork = rig.client.get(id);
  await approve(fork);
  expect((await fork.result()).intermediateSteps).toMatchObject([
    { call: '1.1' },
    { observation: 'did d' },
    {},
  ]);
  await run.rewind({ step: 3 });
  await approve(run);
  expect((await run.result()).intermediateSteps).toMatchObject([
    { call: '1.1' },
    { observation: 'did d' },
    {},
  ]);
});

async function approve(run: AgentRun): Promise<void> {
  await expect.poll(async () => (await run.describe()).waiting).toHaveLength(1);
  await run.decide(undefined, { type: 'approve' });
}

test('a rewind is refused while another one is under way, and for a step that the run does not have', async () => {
  const run = await rig.client.start('holds', 'what?');
  await started(run, '2.1');
  await run.rewind({ step: 2 });
  await expect(run.rewind({ step: 1 })).rejects.toThrow('somebody else was first: the run is being rewound.');
  await gate.open();
  await waits(run, '2.1', 1);
  const handle = rig.temporal.workflow.getHandle(run.id);
  await expect(handle.executeUpdate('rewind', { args: [{ step: 9 }] })).rejects.toMatchObject({
    cause: { message: expect.stringContaining('the run has no step 9. Its steps: 1 to 2.') },
  });
  await handle.terminate();
});

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
