import type { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../../../agent/transcript/entries.ts';
import { fork } from '../../../../client/restart/fork.ts';
import { retryRun } from '../../../../client/restart/retry-run.ts';
import type { RestartInput } from '../../../../client/restart/restart-input.ts';
import { rewind } from '../../../../client/restart/rewind.ts';
import { clientOf, recordedHistories } from '../../../support/recorded-histories.ts';

/** The inputs of runs that do steps of a recorded run again. Nothing but the record decides on them, and no server is asked. */
const recorded = recordedHistories();

/** A recorded run, as the latest of its id, on a server that starts nothing. */
function recordedRun(name: string) {
  const one = recorded.find((history) => history.name === name);
  const events = one?.history.events ?? [];
  const [first, last] = [events[0], events.at(-1)];
  if (one === undefined || !first || !last) throw new Error(`There is no recorded history ${name}.`);
  const type = first.workflowExecutionStartedEventAttributes?.workflowType?.name;
  const isFailed = last.workflowExecutionFailedEventAttributes;
  const status = last.workflowExecutionCompletedEventAttributes
    ? 'COMPLETED'
    : isFailed
      ? 'FAILED'
      : 'CANCELED';
  const inputs: RestartInput[] = [];
  const described = {
    runId: one.run.runId,
    type,
    status: { name: status },
    taskQueue: 'q',
    historyLength: 1,
  };
  const workflow = {
    getHandle: () => ({ describe: () => Promise.resolve(described) }),
    start(_type: string, { args: [input] }: { args: [RestartInput] }) {
      inputs.push(input);
      return Promise.resolve({ firstExecutionRunId: 'next' });
    },
  };
  const client: Client = Object.assign(clientOf(recorded), { workflow });
  return { client, id: one.run.workflowId, status, type, inputs };
}

/** Continues as new, so that its record is that of the last run. */
const chains = ['continued', 'inline-continued', 'session-continued'];
const runs = recorded
  .map(({ name }) => ({ name, ...recordedRun(name) }))
  .filter(({ name, type, id }) => type === 'agentRun' && !chains.includes(name) && !id.includes('/'));

/** The recorded run with a sub-agent, as if the call of the sub-agent had been made five times. */
const FIVE_TIMES = 'delegating five times';
const delegating = recorded.find(({ name }) => name === 'delegating');
for (const { run, history } of delegating === undefined ? [] : [delegating]) {
  const child = (id = '') => `${FIVE_TIMES}${id.slice(run.workflowId.length)}~4`;
  const events = history.events?.map((event) => {
    const started = event.startChildWorkflowExecutionInitiatedEventAttributes;
    if (!started) return event;
    return {
      ...event,
      startChildWorkflowExecutionInitiatedEventAttributes: {
        ...started,
        workflowId: child(started.workflowId ?? ''),
      },
    };
  });
  recorded.push({
    name: FIVE_TIMES,
    run: { ...run, workflowId: FIVE_TIMES },
    history: { events: events ?? [] },
  });
}

const entriesOf = ({ from, pending = [] }: RestartInput): Entry[] => [...(from?.entries ?? []), ...pending];
const stepsIn = (input: RestartInput) =>
  entriesOf(input).flatMap((entry) => (entry.type === 'step' ? [entry.call] : []));

/** The agent that has the conversation before a step. */
const agentOf = (run: string, step: number, input: RestartInput) =>
  run === 'handed-over' && step > 2 ? 'final-answer' : input.agent;

async function inputOf(name: string, restart: (client: Client, id: string) => Promise<unknown>) {
  const { client, id, inputs } = recordedRun(name);
  await restart(client, id);
  const [input] = inputs;
  if (input === undefined) throw new Error('Nothing was started.');
  return input;
}

test.each(runs)('a rewind of $name keeps what was before its step, whichever it is', async ({ name }) => {
  let step = 1;
  const { client, id, inputs } = recordedRun(name);
  const hasStep = () =>
    rewind(client, id, { step }).then(
      () => true,
      () => false,
    );
  for (; await hasStep(); step++) {
    const input = inputs[step - 1];
    if (input === undefined) throw new Error('Nothing was started.');
    const { counters, restart, root } = input;
    expect(stepsIn(input).filter((call) => Number(call.split('.')[0]) >= step)).toEqual([]);
    // A summary stands for the steps before it.
    const kept = new Set(stepsIn(input).map((call) => call.split('.')[0])).size;
    const isSummed = entriesOf(input).some(({ type }) => type === 'summary');
    expect(isSummed ? kept <= step - 1 : kept === step - 1).toBe(true);
    expect(counters).toMatchObject({ iterations: step - 1 });
    // Sub-agents ask the model as well.
    expect(counters?.usage.modelCalls).toBeGreaterThanOrEqual(step - 1);
    expect(input.manifest).toMatchObject({ name: agentOf(name, step, input) });
    expect(restart).toMatchObject({ by: 'rewind', step });
    expect(root).toEqual(expect.any(String));
  }
  expect(step).toBeGreaterThan(name === 'model-failed' ? 1 : 0);
});

describe('a run that does steps again has', () => {
  const message = { type: 'message', text: 'be brief' };
  test.each<[what: string, name: string, step: number, input: object]>([
    ['what a person said before the step', 'said', 2, { pending: [{ type: 'step' }, message] }],
    [
      'a raise of its limit from before the step',
      'extended',
      3,
      { counters: { allowance: { iterations: 5 } } },
    ],
    ['what was approved for good before the step', 'approve', 2, { counters: { approved: ['["guarded"]'] } }],
    [
      'effects that an earlier rewind dropped',
      'rewound-live',
      3,
      { done: [{ call: '2.1', output: 'paid Ann' }] },
    ],
    ['numbers for its waits that none had before', 'rewound-live', 3, { firstN: 3 }],
    ['a number for its sub-agent that none had before', FIVE_TIMES, 1, { firstN: 5 }],
    // 374 ms since the first model call, of which 19 and 127 ms are waits.
    [
      'the time of its steps, without waits of its own or of a sub-agent',
      'approve-within',
      2,
      { restart: { elapsedMs: 228 } },
    ],
    ['steps from before it was continued as new', 'continued-2', 30, { counters: { iterations: 29 } }],
  ])('%s', async (_what, name, step, input) => {
    expect(await inputOf(name, (client, id) => rewind(client, id, { step }))).toMatchObject(input);
  });

  test.each([
    ['a message from after the step', 'said', 1, message.text],
    ['a raise of its limit from after the step', 'extended', 2, 'allowance'],
    ['an approval from after the step', 'approve', 1, '"approved"'],
  ])('not %s', async (_what, name, step, text) => {
    const { manifest: _, ...input } = await inputOf(name, (client, id) => rewind(client, id, { step }));
    expect(JSON.stringify(input)).not.toContain(text);
  });

  test('as a fork its changes, and no call of the other run', async () => {
    const options = {
      step: 2,
      edits: { '1.1': { none: true } },
      say: 'hm',
      model: 'other',
      maxIterations: 3,
    };
    const input = await inputOf('parallel', (client, id) => fork(client, id, options));
    expect(input).toMatchObject({
      said: ['hm'],
      overrides: { model: 'other' },
      manifest: { maxIterations: 3 },
      restart: { by: 'fork', edited: ['1.1'] },
    });
    expect(entriesOf(input)).toContainEqual(
      expect.objectContaining({ call: '1.1', observation: { none: true } }),
    );
    expect([input.root, input.firstN, input.session, input.caller]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('as a fork no raised limit: it was raised for the other run', async () => {
    const forked = (options: object) =>
      inputOf('extended', (client, id) => fork(client, id, { step: 3, ...options }));
    expect((await forked({})).counters?.allowance).toBeUndefined();
    expect((await forked({ maxIterations: 3 })).counters?.allowance).toBeUndefined();
  });

  test('as a fork another context, if one is given', async () => {
    const context = { user: 'ann' };
    const input = await inputOf('extended', (client, id) => fork(client, id, { step: 3, context }));
    expect(input.manifest?.context).toEqual(context);
  });
});

describe('a retry of a run', () => {
  test.each([
    ['that was aborted makes its call again', 'abort', 1, ['1.1']],
    ['that was cancelled makes the call again that was under way', 'cancel', 2, ['2.1']],
    ['that failed makes all calls of the turn again that had not ended', 'fatal', 1, ['1.1', '1.2']],
    ['whose model failed asks the model again', 'model-failed', 1, []],
    ['that was aborted while its model was down asks the model again', 'outage-aborted', 1, []],
  ])('%s', async (_what, name, step, calls) => {
    const { client, id } = recordedRun(name);
    expect(await retryRun(client, id)).toEqual({ id, runId: 'next', step, calls });
  });

  test('can have another input for a call', async () => {
    const input = await inputOf('abort', (client, id) =>
      retryRun(client, id, { call: '1.1', input: 'better' }),
    );
    const { decision } = input.restart.turn?.turn ?? {};
    const action = { tool: 'broken', toolInput: 'better', personsInput: true };
    expect(decision).toEqual({ type: 'act', actions: [action] });
  });
});

type Restarting = (client: Client, id: string) => Promise<unknown>;
const forking =
  (options: object): Restarting =>
  (client, id) =>
    fork(client, id, { step: 2, ...options });
const rewinding =
  (step: number): Restarting =>
  (client, id) =>
    rewind(client, id, { step });
const retrying =
  (options: object = {}): Restarting =>
  (client, id) =>
    retryRun(client, id, options);

describe('refused is', () => {
  test.each<[what: string, name: string, Restarting, why: string]>([
    ['a rewind to a step that there is not', 'extended', rewinding(7), 'no step 7. Its steps: 1, 2, 3, 4.'],
    ['a rewind to before the first step', 'extended', rewinding(0), 'no step 0'],
    ['a rewind to no step', 'extended', rewinding(1.5), 'A step is a whole number'],
    [
      'a rewind of a sub-agent that is over',
      'sub-agent',
      rewinding(1),
      'Have the parent make the call again: reloop retry',
    ],
    ['a rewind of a session', 'session', rewinding(1), 'is a session, not a run'],
    ['a rewind of a run that a backtest made', 'backtest-same', rewinding(1), 'is part of a backtest'],
    ['a fork of such a run', 'backtest-same', forking({}), 'is part of a backtest'],
    ['a retry of a run that has its answer', 'extended', retrying(), 'has its answer: nothing failed'],
    ['a retry of another call', 'abort', retrying({ call: '7.1' }), 'Calls that are made again: 1.1.'],
    [
      'a retry with an unfit input',
      'abort',
      retrying({ call: '1.1', input: { a: 1, b: 2 } }),
      'the tool takes one',
    ],
    ['a fork at a step that there is not', 'extended', forking({ step: 9 }), 'no step 9'],
    [
      'a fork with another result of no call',
      'extended',
      forking({ step: 3, edits: { '7.1': 'x' } }),
      'here: 1.1, 2.1)',
    ],
    [
      'a fork with another result of a later call',
      'extended',
      forking({ edits: { '2.1': 'x' } }),
      'cannot be edited at step',
    ],
    [
      'a fork with a result that is too long',
      'extended',
      forking({ step: 3, edits: { '2.1': 'x'.repeat(200_000) } }),
      'takes 200002 bytes; at most 100000',
    ],
    ['a fork with an empty message', 'extended', forking({ say: ' ' }), 'message is empty'],
    ['a fork with an empty model', 'extended', forking({ model: '' }), 'model has to be'],
    [
      'a fork with the id of a session',
      'extended',
      forking({ id: 'session:x' }),
      'does not start with session:',
    ],
  ])('%s, and nothing is started', async (_what, name, restart, why) => {
    const { client, id, inputs } = recordedRun(name);
    await expect(restart(client, id)).rejects.toThrow(why);
    expect(inputs).toEqual([]);
  });
});
