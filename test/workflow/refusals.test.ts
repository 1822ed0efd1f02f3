import { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { type DecisionName, decisionNames } from '../../agent/rules/decisions.ts';
import type { OperatorDecision, RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { DecisionRefused } from '../../client/connect/errors.ts';
import { ModelError, defineModel } from '../../models/model.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { human } from '../../tools/human.ts';
import { defineTool } from '../../tools/tool.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

/**
 * A decision that does not fit the state of a call is refused, with what fits, and leaves no trace: one for each state of a
 * real run. The table of all decisions and messages is in test/unit: decision-states.test.ts and run-messages.test.ts.
 */

const options = { description: 'a tool', retry: { maxAttempts: 1 } };
const never = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('over'))));

const sleeper = defineTool({ name: 'sleeper', ...options, run: (_input, { signal }) => never(signal) });
const work = defineTool({
  name: 'work',
  ...options,
  run: (input) => (input === 'broken' ? Promise.reject(new Error('out of order')) : `did ${input}`),
});
const guarded = defineTool({
  name: 'guarded',
  ...options,
  approval: 'always',
  run: (input) => `did ${input}`,
});
const pay = defineTool({
  name: 'pay',
  ...options,
  effects: 'once',
  run(input) {
    if (!input.startsWith('again')) throw new Error('no answer');
    return `paid ${input}`;
  },
});
const job = defineTool({
  name: 'job',
  ...options,
  async run(_input, ctx) {
    await ctx.defer();
    return 'queued';
  },
});
const below = agentTool({ agent: 'below', description: 'a sub-agent' });
const tools = [sleeper, work, guarded, pay, job, human(), below];
const silent = defineModel({ call: (_request, { signal }) => never(signal) });
const unreachable = new ModelError('ModelConnectionError', 'the model is down', { retryable: true });
const down = defineModel({ call: () => Promise.reject(unreachable) });

const first = (name: string, tool: string, input: string) => {
  return { name, model: script(act(tool, input)), tools, maxIterations: null };
};
const rig = useRig({
  agents: [
    first('sleeps', 'sleeper', 'x'),
    first('breaks', 'work', 'broken'),
    first('asks', 'guarded', 'a'),
    first('doubts', 'pay', 'x'),
    first('pays', 'pay', 'again'),
    first('defers', 'job', 'x'),
    first('person', 'ask_human', 'which one?'),
    first('parent', 'below', 'do it'),
    first('below', 'guarded', 'b'),
    { ...first('limited', 'work', 'x'), maxIterations: 1, onLimit: 'ask' },
    { name: 'done', model: script(answer('ok')), tools },
    { name: 'silent', model: silent, tools, maxIterations: null },
    { name: 'down', model: down, tools, maxIterations: null, modelRetry: { maxAttempts: 1 } },
  ],
});

const ofFailed = 'Possible: retry, resolve, skip, abort.';
const ofApproval = 'Possible: approve, reject, resolve, abort.';

/** Brings a run into a state. Default: until the call waits. */
type Reach = (run: AgentRun) => Promise<unknown>;
const states: [state: string, agent: string, call: string, DecisionName, refusal: string, Reach?][] = [
  ['a tool that runs', 'sleeps', '1.1', 'resolve', 'Possible: cancelCall.', seen('tool_started')],
  ['a model call that runs', 'silent', '1', 'abort', 'Possible: nothing.', seen('model_started')],
  ['a tool that failed', 'breaks', '1.1', 'reject', ofFailed],
  ['a model call that failed', 'down', '1', 'skip', 'Possible: retry, resolve, abort.'],
  ['a call that needs approval', 'asks', '1.1', 'retry', ofApproval],
  ['a call in doubt', 'doubts', '1.1', 'reconcile', ofFailed],
  ['a deferred call', 'defers', '1.1', 'approve', ofFailed],
  ['a question to a person', 'person', '1.1', 'stop', ofFailed],
  ['a call that was made in a dropped step', 'pays', '1.1', 'cancelCall', ofFailed, takenBack],
  ['a model call at a limit', 'limited', '2', 'skip', 'Possible: extend, resolve, stop, abort.'],
  ['the call of a sub-agent that waits', 'parent', '1.1', 'abort', 'Possible: cancelCall.'],
  ["a sub-agent's call that waits, through its parent", 'parent', '1.1/1.1', 'retry', ofApproval],
  ['a call that waits in a paused run', 'asks', '1.1', 'reconcile', ofApproval, paused],
  [
    'a call that has ended, in a paused run',
    'defers',
    '1.1',
    'resolve',
    'there is no open call 1.1',
    pausedBehind,
  ],
];

function seen(type: RunEvent['type']) {
  return (run: AgentRun) => eventOf(run, type);
}

async function takenBack(run: AgentRun): Promise<void> {
  await run.result();
  await run.rewind({ step: 1 });
  await seen('waiting')(run);
}

async function paused(run: AgentRun): Promise<void> {
  await seen('waiting')(run);
  await run.pause();
}

async function pausedBehind(run: AgentRun): Promise<void> {
  await paused(run);
  await run.decide('1.1', { type: 'resolve', output: 'done' });
  await seen('step')(run);
}

/**
 * The events of a workflow. The tasks of its worker are left out: where a worker takes long to say that it refuses
 * something, the server records that it was asked.
 */
async function recordedIn(id: string): Promise<string[]> {
  const { events = [] } = await rig.temporal.workflow.getHandle(id).fetchHistory();
  const { EventType } = temporal.api.enums.v1;
  const types = (events ?? []).map(({ eventType }) => EventType[eventType ?? 0] ?? '');
  return types.filter((type) => !type.includes('WORKFLOW_TASK'));
}

const refused = (text: string) =>
  expect.objectContaining({ name: DecisionRefused.name, message: expect.stringContaining(text) }) as unknown;

test.each(states)(
  '%s: a decision that does not fit is refused',
  async (_state, agent, call, type, refusal, reach = seen('waiting')) => {
    const run = await rig.client.start(agent, 'what?');
    await reach(run);
    const handle = rig.temporal.workflow.getHandle(run.id);
    // Answered once the workflow has taken note: from then on nothing moves by itself.
    const status = await handle.query('status');
    // Of the sub-agent too whose call it is.
    const ids = [run.id, ...(call.includes('/') ? [`${run.id}/1.1`] : [])];
    const before = await Promise.all(ids.map(recordedIn));
    const decision: OperatorDecision = type === 'resolve' ? { type, output: 'x' } : { type };
    await expect(run.decide(call, decision)).rejects.toEqual(refused(refusal));
    expect(await Promise.all(ids.map(recordedIn))).toEqual(before);
    expect(await handle.query('status')).toEqual(status);
    await handle.terminate();
  },
);

test('each decision is refused in some state', () => {
  expect(new Set(states.map(([, , , decision]) => decision))).toEqual(new Set(decisionNames));
});

test('a run that is over is refused any decision', async () => {
  const run = await rig.client.start('done', 'what?');
  await run.result();
  await expect(run.decide('1.1', { type: 'retry' })).rejects.toEqual(refused('is over (completed)'));
});
