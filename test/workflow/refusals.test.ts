import { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { DecisionRefused } from '../../client/connect/errors.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { brokenTool } from '../support/sample-tools.ts';
import { act, answer, script } from '../support/scripts.ts';

/**
 * A decision or message that does not fit the state of a run is refused by the workflow's validator, with what fits, and leaves no
 * trace. What each state refuses, and in which words, are tables in test/unit: decision-states.test.ts, run-messages.test.ts.
 */
const tools = [brokenTool(), agentTool({ agent: 'breaks', description: 'a sub-agent' })];
const agent = (name: string, tool: string) => ({ name, model: script(act(tool, 'x')), tools });
const rig = useRig({
  agents: [
    agent('breaks', 'broken'),
    agent('parent', 'breaks'),
    { ...agent('limited', 'nobody'), maxIterations: 1, onLimit: 'ask' },
    { name: 'done', model: script(answer('ok')) },
  ],
});

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

type Refusal = [
  state: string,
  agent: string,
  call: string,
  (run: AgentRun) => Promise<unknown>,
  refusal: string,
];

test.each<Refusal>([
  [
    'a decision on a tool that failed',
    'breaks',
    '1.1',
    (run) => run.decide('1.1', { type: 'reject' }),
    'Possible: retry, resolve, skip, abort.',
  ],
  [
    'a decision on a model call at a limit',
    'limited',
    '2',
    (run) => run.decide('2', { type: 'skip' }),
    'Possible: extend, resolve, stop, abort.',
  ],
  [
    "a decision on a sub-agent's call, through its parent",
    'parent',
    '1.1/1.1',
    (run) => run.decide('1.1/1.1', { type: 'approve' }),
    'Possible: retry, resolve, skip, abort.',
  ],
  ...['x/1.1/1.1', '1.1//1.1', '/1.1/1.1'].map((id): Refusal => [
    `a decision on ${id}, another id for a sub-agent's call,`,
    'parent',
    '1.1/1.1',
    (run) => run.decide(id, { type: 'retry' }, 0),
    `retry: ${id} is not the id of a call.`,
  ]),
  ['a message', 'breaks', '1.1', (run) => run.resume(), 'resume: the run is not paused. Possible: pause.'],
])('%s that does not fit is refused, and leaves no trace', async (_state, name, call, says, refusal) => {
  const run = await rig.client.start(name, 'what?');
  await waitOf(run, { call });
  const handle = rig.temporal.workflow.getHandle(run.id);
  // Answered once the workflow has taken note: from then on nothing moves by itself.
  const status = await handle.query('status');
  const ids = [run.id, ...(call.includes('/') ? [`${run.id}/1.1`] : [])];
  const before = await Promise.all(ids.map(recordedIn));
  await expect(says(run)).rejects.toEqual(refused(refusal));
  expect(await Promise.all(ids.map(recordedIn))).toEqual(before);
  expect(await handle.query('status')).toEqual(status);
  await handle.terminate();
});

test('a run that is over is refused any decision, and any message', async () => {
  const run = await rig.client.start('done', 'what?');
  await run.result();
  await expect(run.decide('1.1', { type: 'retry' })).rejects.toEqual(refused('is over (completed)'));
  await expect(run.say('Hello?')).rejects.toEqual(refused(`say: run ${run.id} is over (completed)`));
});
