import { describe, expect, test } from 'vitest';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { createWaitingFeed } from '../../gateway/waiting/waiting-feed.ts';
import { encode } from '../../history/read/payloads.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { reloop } from '../support/cli.ts';
import { failedTasks } from '../support/raw-payloads.ts';
import { eventOf, useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

/** An operator's commands of Temporal itself: `temporal activity complete | pause`, `temporal workflow pause`, and the Web UI's buttons. */

/** Both end only by an operator's command, or when the run is cancelled. */
const hang = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('ended by its signal')));
  });
const slow = defineTool({
  name: 'slow',
  description: 'hangs',
  run: (_input, { signal, attempt }) => (attempt === 1 ? hang(signal) : 'by itself'),
});
let observed: string[] = [];
const rig = useRig(
  {
    agents: [
      {
        name: 'caller',
        tools: [slow],
        model: modelOf((step, { prompt }) => {
          observed.push(JSON.stringify(prompt));
          return step === '1' ? act('slow', 'x') : answer('done');
        }),
      },
      {
        name: 'boss',
        tools: [agentTool({ agent: 'caller', description: 'calls' })],
        model: modelOf(() => act('caller', 'x')),
      },
      { name: 'thinker', model: modelOf(() => new Promise<never>(() => undefined)) },
    ],
  },
  { server: ['--dynamic-config-value', 'frontend.WorkflowPauseEnabled=true'] },
);

const serviceOf = () => rig.temporal.workflowService;
const idOf = ({ id }: AgentRun) => ({ namespace: 'default', execution: { workflowId: id } });

async function started(agent: string, call: string): Promise<AgentRun> {
  observed = [];
  const run = await rig.client.start(agent, 'what?');
  await expect.poll(() => pendingIn({ workflowId: run.id })).toEqual([call]);
  return run;
}

/** Ids of the activities that have begun. */
async function pendingIn(execution: { workflowId: string }) {
  const found = await serviceOf()
    .describeWorkflowExecution({ namespace: 'default', execution })
    .catch(() => undefined);
  return found?.pendingActivities?.map(({ activityId, lastStartedTime }) => lastStartedTime && activityId);
}

async function complete(run: AgentRun, activityId: string, value: Json): Promise<void> {
  await serviceOf().respondActivityTaskCompletedById({
    namespace: 'default',
    workflowId: run.id,
    activityId,
    result: await encode(rig.temporal, value),
  });
}

describe('a tool call that an operator completes', () => {
  test.each<[string, Json, Json]>([
    ['a text', 'by hand', 'by hand'],
    ['null', null, null],
    ['a number', 7, 7],
    ['a list', [1, 2], [1, 2]],
    ['an object', { price: 7 }, { price: 7 }],
    ['the record that a tool call has', { output: 'by hand' }, 'by hand'],
    ['an object that only looks like the record', { output: 1, usage: 'much' }, { output: 1, usage: 'much' }],
    ['a long text, which later calls refer to', 'x'.repeat(3000), 'x'.repeat(3000)],
  ])('with %s has it as its observation', async (_title, value, observation) => {
    const run = await started('caller', '1.1');
    await complete(run, '1.1', value);
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('done');
    expect(intermediateSteps).toMatchObject([{ call: '1.1', observation }]);
    expect(observed[1]).toContain('Observation: ');
    expect((await run.describe()).intermediateSteps).toMatchObject([{ call: '1.1', observation }]);
    expect(await failedTasks(rig.temporal.workflow.getHandle(run.id))).toBe(0);
  });
});

describe('a model call that an operator completes', () => {
  test.each<[string, Json]>([
    ['a text', 'the answer'],
    ['null', null],
    ['an object', { text: 'the answer', decision: { type: 'finish' } }],
  ])('with %s waits as failed, and a person gives its reply', async (_title, value) => {
    const run = await started('thinker', '1');
    await complete(run, '1', value);
    const { call, reason, error } = await waitOf(run);
    expect([call, reason, error?.type]).toEqual(['1', 'failed', 'ForeignResult']);
    await run.decide('1', { type: 'resolve', output: answer('by hand') });
    expect(await run.result()).toMatchObject({ output: 'by hand' });
  });
});

describe('a call that an operator pauses', () => {
  test('is named as paused to those who follow and look, and continues when it is unpaused', async () => {
    const run = await started('caller', '1.1');
    const pause = { ...idOf(run), id: '1.1', identity: 'sue', reason: 'an incident' };
    await serviceOf().pauseActivity(pause);
    const paused = await eventOf(run.events(), 'call_paused');
    expect(paused).toMatchObject({ call: '1.1', by: 'sue', reason: 'an incident' });
    const { status, pausedCalls } = await run.describe();
    const names = { call: '1.1', workflowId: run.id, activityId: '1.1' };
    const expected = [{ ...names, by: 'sue', reason: 'an incident' }];
    expect([status, pausedCalls]).toEqual(['paused', expected]);
    const listed = async () => (await rig.client.listPage({ status: 'paused' })).runs;
    await expect.poll(listed).toContainEqual(expect.objectContaining({ id: run.id, pausedCalls: expected }));
    const feed = createWaitingFeed(rig.client).changes('', AbortSignal.timeout(60_000));
    expect((await feed.next()).value).toMatchObject({
      run: { id: run.id, calls: [], paused: ['Call 1.1 is paused in Temporal by sue: an incident.'] },
    });
    await serviceOf().unpauseActivity({ ...idOf(run), id: '1.1' });
    expect(await run.result()).toMatchObject({ output: 'done' });
  });

  test.each<[string, agent: string, activityId: string, below: string, end: RegExp]>([
    ['a tool call', 'caller', '1.1', '', /reloop cancel \S+ 1\.1` ends the call/u],
    ['a model call', 'thinker', '1', '', /reloop cancel \S+` ends the run/u],
    ["a sub-agent's call", 'boss', '1.1', '/1.1', /reloop cancel \S+ 1\.1\/1\.1` ends the call/u],
  ])('refuses each decision with what to do, for %s', async (_title, agent, activityId, below, end) => {
    const run = await rig.client.start(agent, 'what?');
    const execution = { workflowId: `${run.id}${below}` };
    await expect.poll(() => pendingIn(execution)).toEqual([activityId]);
    await serviceOf().pauseActivity({ namespace: 'default', execution, id: activityId });
    const unpause = `temporal activity unpause --workflow-id ${execution.workflowId} --activity-id ${activityId}`;
    const call = [...below.split('/').slice(1), activityId].join('/');
    const refused = [
      () => run.decide(undefined, { type: 'retry' }),
      () => run.decide(undefined, { type: 'approve' }),
      () => run.decide(undefined, { type: 'abort' }),
      () => run.decide(call, { type: 'retry' }),
      () => run.decide(call, { type: 'resolve', output: 'x' }),
      () => run.retry(),
    ];
    await Promise.all(refused.map((decide) => expect(decide()).rejects.toThrow(unpause)));
    await expect(refused[0]?.()).rejects.toThrow(end);
    await run.cancel();
    await expect(run.result()).rejects.toThrow('cancelled');
  });

  test('is no longer listed as paused when the run has left it behind by a rewind', async () => {
    const run = await started('caller', '1.1');
    await serviceOf().pauseActivity({ ...idOf(run), id: '1.1' });
    const status = async () =>
      (await rig.client.listPage({ idPrefix: run.id })).runs.map((one) => one.status);
    await expect.poll(status).toEqual(['paused']);
    await run.rewind({ step: 1 });
    await expect.poll(status).toEqual(['running']);
    await run.cancel();
  });
});

describe('a run that an operator pauses', () => {
  test('is followed until it is unpaused, is named as paused, and refuses decisions with a sentence', async ({
    skip,
  }) => {
    const { serverVersion } = await serviceOf().getSystemInfo({});
    skip(Number(serverVersion.split('.')[1]) < 30, `Temporal ${serverVersion} has no such command`);
    const run = await started('caller', '1.1');
    const ended = run.result();
    const handle = { namespace: 'default', workflowId: run.id, identity: 'sue' };
    await serviceOf().pauseWorkflowExecution({ ...handle, reason: 'an incident', requestId: run.id });
    expect(await eventOf(run, 'paused_in_temporal')).toMatchObject({ by: 'sue', reason: 'an incident' });
    expect(await run.describe()).toMatchObject({
      status: 'paused',
      pausedInTemporal: { by: 'sue', reason: 'an incident' },
    });
    await expect(run.say('hello')).rejects.toThrow(/paused in Temporal.*temporal workflow unpause/u);
    // The built command reads the details of the server's error with messages of its own.
    const command = reloop(['say', run.id, 'hello', '--address', rig.client.address]);
    await command.exit;
    expect(command.stderr()).toMatch(/paused in Temporal.*temporal workflow unpause/u);
    await complete(run, '1.1', 'by hand');
    await serviceOf().unpauseWorkflowExecution({ ...handle, reason: 'over', requestId: `${run.id}-2` });
    expect(await eventOf(run, 'unpaused_in_temporal')).toMatchObject({ reason: 'over' });
    expect(await ended).toMatchObject({ output: 'done' });
    expect(await run.describe()).toMatchObject({ status: 'completed' });
    expect(await run.describe()).not.toHaveProperty('pausedInTemporal');
  });
});
