import { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import type { DecisionName } from '../../agent/rules/decisions.ts';
import type { OperatorDecision, RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { DecisionRefused } from '../../client/connect/errors.ts';
import { agentTool } from '../../tools/agent-tool.ts';
import { defineTool } from '../../tools/tool.ts';
import { eventOf, useRig } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';

/**
 * A decision that does not fit the state of a call is refused by the workflow's validator, with what fits, and leaves no
 * trace. What each state refuses, and in which words, is a table in test/unit/decision-states.test.ts.
 */

const options = { description: 'a tool', retry: { maxAttempts: 1 } };
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
const below = agentTool({ agent: 'below', description: 'a sub-agent' });

const first = (name: string, tool: string, input: string) => {
  return { name, model: script(act(tool, input)), tools: [work, guarded, below], maxIterations: null };
};
const rig = useRig({
  agents: [
    first('breaks', 'work', 'broken'),
    first('parent', 'below', 'do it'),
    first('below', 'guarded', 'b'),
    { ...first('limited', 'work', 'x'), maxIterations: 1, onLimit: 'ask' },
    { name: 'done', model: script(answer('ok')) },
  ],
});

/** Brings a run into a state. Default: until the call waits. */
type Reach = (run: AgentRun) => Promise<unknown>;
const states: [state: string, agent: string, call: string, DecisionName, refusal: string, Reach?][] = [
  ['a tool that failed', 'breaks', '1.1', 'reject', 'Possible: retry, resolve, skip, abort.'],
  ['a model call at a limit', 'limited', '2', 'skip', 'Possible: extend, resolve, stop, abort.'],
  [
    "a sub-agent's call that waits, through its parent",
    'parent',
    '1.1/1.1',
    'retry',
    'Possible: approve, reject, resolve, abort.',
  ],
  [
    'a call that has ended, in a paused run',
    'breaks',
    '1.1',
    'resolve',
    'there is no open call 1.1',
    pausedBehind,
  ],
];

function seen(type: RunEvent['type']) {
  return (run: AgentRun) => eventOf(run, type);
}

async function pausedBehind(run: AgentRun): Promise<void> {
  await seen('waiting')(run);
  await run.pause();
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

test('a run that is over is refused any decision', async () => {
  const run = await rig.client.start('done', 'what?');
  await run.result();
  await expect(run.decide('1.1', { type: 'retry' })).rejects.toEqual(refused('is over (completed)'));
});
