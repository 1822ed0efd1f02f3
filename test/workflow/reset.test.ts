import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import type { HistoryEvent } from '../../history/read/pages.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { ModelError } from '../../adapters/models/model.ts';
import { agentTool } from '../../adapters/tools/agent-tool.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { eventsOf, useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

const echo = defineTool({ name: 'echo', description: 'echoes', run: (input) => `echo ${input}` });
const big = defineTool({ name: 'big', description: 'much', run: (input) => `${input}${'x'.repeat(2000)}` });

const keys: string[] = [];
const keyed = defineTool({
  name: 'keyed',
  description: 'keeps its key',
  run: (_input, { idempotencyKey }) => String(keys.push(idempotencyKey)),
});

/** Steps at which the model is not there. */
const failing = new Set<string>();
const model = (steps: number, tool: string) =>
  modelOf((step) => {
    if (failing.has(step)) throw new ModelError('ModelBadRequest', 'not there', { retryable: false });
    return Number(step) < steps ? act(tool, step) : answer(`after ${step}`);
  });

let mended = false;
const stuck = defineTool({
  name: 'stuck',
  description: 'fails until it is mended',
  retry: { maxAttempts: 1 },
  run() {
    if (!mended) throw new Error('out of order');
    return 'fine';
  },
});

const dear = defineTool({ name: 'dear', description: 'costs much', approval: 'always', run: () => 'paid' });

const rig = useRig({
  agents: [
    // Its results are so long that model calls refer to them.
    { name: 'short', model: model(3, 'big'), tools: [big] },
    { name: 'keyed', model: model(2, 'keyed'), tools: [keyed] },
    { name: 'stuck', model: model(2, 'stuck'), tools: [stuck] },
    { name: 'asked', model: model(2, 'dear'), tools: [dear] },
    { name: 'parent', model: model(2, 'asked'), tools: [agentTool({ agent: 'asked', description: 'asks' })] },
    { name: 'long', model: model(100, 'echo'), tools: [echo], maxIterations: null },
  ],
});

describe("after Temporal's own reset", () => {
  test('a run is read as it goes on, and the one that was given up under its own run id', async () => {
    const { run, givenUp, reset } = await failsAt('short', '3');
    await rig.restart();
    failing.clear();
    const runId = await reset();
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('after 3');
    expect(intermediateSteps.map(({ call }) => call)).toEqual(['1.1', '2.1']);
    expect(await run.describe()).toMatchObject({ runId, status: 'completed' });
    expect((await allOf(run.requests())).map(({ call }) => call)).toEqual(['1', '2', '3']);
    expect(await rig.client.get(run.id, givenUp).describe()).toMatchObject({
      runId: givenUp,
      status: 'failed',
    });
    expect(await rig.client.get(run.id, runId).result()).toMatchObject({ output: 'after 3' });
  });

  test('a call is made again under the key it had', async () => {
    keys.length = 0;
    const run = await rig.client.start('keyed', 'what?');
    await run.result();
    const { runId } = await run.describe();
    await resetToLastCall(run.id, runId, 'keyed');
    await run.result();
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
  });

  test('a follower of an open run hears of its reset, and result() is the answer of the new run', async () => {
    const run = await rig.client.start('stuck', 'what?');
    await waitOf(run);
    const { runId } = await run.describe();
    const [followed, result] = [eventsOf(run), run.result()];
    mended = true;
    const next = await resetToLastCall(run.id, runId);
    expect((await followed).at(-1)).toMatchObject({
      type: 'run_ended',
      status: 'failed',
      error: { type: 'Reset', message: expect.stringContaining(next) },
    });
    expect(await result).toMatchObject({ output: 'after 2' });
    await expect(rig.client.get(run.id, runId).result()).rejects.toMatchObject({ type: 'Reset' });
  });

  test('words that came after the event are said again, and are in the record', async () => {
    const run = await rig.client.start('asked', 'what?');
    const { call } = await waitOf(run);
    await run.say('hurry');
    await run.decide(call, { type: 'reject', reason: 'too dear' });
    await run.result();
    const words = await wordsOf(run);
    await resetTo(run.id, ({ workflowExecutionUpdateAcceptedEventAttributes: word }) => Boolean(word));
    expect(await run.result()).toMatchObject({ output: 'after 2' });
    expect(await wordsOf(run)).toEqual(words);
    expect(words.map(({ type }) => type)).toEqual(['steered', 'decided']);
  });

  test('a sub-agent that is open goes on, and its parent has the result', async () => {
    const run = await rig.client.start('parent', 'what?');
    const { call } = await waitOf(run);
    await resetTo(`${run.id}/1.1`, ({ timerStartedEventAttributes: wait }) => Boolean(wait));
    await waitOf(rig.client.get(`${run.id}/1.1`));
    await run.decide(call, { type: 'approve' });
    expect(await run.result()).toMatchObject({
      intermediateSteps: [{ call: '1.1', observation: 'after 2' }],
    });
  });

  test('a run that begins before its open sub-agent asks what to do about the call', async () => {
    const run = await rig.client.start('parent', 'what?');
    await waitOf(run);
    await resetTo(run.id, ({ startChildWorkflowExecutionInitiatedEventAttributes: child }) => Boolean(child));
    const error = { type: 'AlreadyStarted', message: expect.stringContaining(`${run.id}/1.1`) };
    const { call } = await waitOf(run, { reason: 'failed' });
    const { waiting } = await run.describe();
    expect(waiting).toMatchObject([{ call: '1.1', error }]);
    expect(await rig.temporal.workflow.getHandle(run.id).query('status')).toMatchObject({ waiting });
    await rig.client.get(`${run.id}/1.1`).cancel();
    await run.decide(call, { type: 'retry' });
    const again = await waitOf(run, { reason: 'approval' });
    await run.decide(again.call, { type: 'approve' });
    expect(await run.result()).toMatchObject({
      intermediateSteps: [{ call: '1.1', observation: 'after 2' }],
    });
  });

  test('a run that had been continued as new has all its steps', async () => {
    const { run, reset } = await failsAt('long', '90');
    failing.clear();
    const runId = await reset();
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('after 100');
    expect(intermediateSteps.map(({ observation }) => observation)).toEqual(
      Array.from({ length: 99 }, (_, index) => `echo ${index + 1}`),
    );
    expect(await run.describe()).toMatchObject({ runId, status: 'completed', iterations: 100 });
    expect((await eventsOf(run)).map(({ type }) => type)).toContain('continued');
  });
});

/** A run that fails at one of its model calls, and how it is begun again there. */
async function failsAt(agent: string, step: string) {
  failing.add(step);
  const run = await rig.client.start(agent, 'what?');
  await expect(run.result()).rejects.toMatchObject({ type: 'ModelBadRequest' });
  const { runId } = await run.describe();
  return { run, givenUp: runId, reset: () => resetToLastCall(run.id, runId) };
}

/** To before the workflow task that scheduled the last activity (of that name). Returns the new run's id. */
async function resetToLastCall(workflowId: string, runId: string, name?: string): Promise<string> {
  const { events } = await rig.temporal.workflow.getHandle(workflowId, runId).fetchHistory();
  const scheduled = events?.findLast(({ activityTaskScheduledEventAttributes: activity }) =>
    name === undefined ? activity : activity?.activityType?.name === name,
  );
  const task = scheduled?.activityTaskScheduledEventAttributes?.workflowTaskCompletedEventId ?? null;
  const { runId: next } = await rig.temporal.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId, runId },
    reason: 'a test',
    requestId: randomUUID(),
    workflowTaskFinishEventId: task,
  });
  return next;
}

/** To before the workflow task that recorded the first such event. */
async function resetTo(workflowId: string, isThere: (event: HistoryEvent) => boolean): Promise<void> {
  const { events } = await rig.temporal.workflow.getHandle(workflowId).fetchHistory();
  const task = (events ?? [])
    .slice(0, events?.findIndex(isThere))
    .findLast((event) => event.workflowTaskCompletedEventAttributes);
  await rig.temporal.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId },
    reason: 'a test',
    requestId: randomUUID(),
    workflowTaskFinishEventId: task?.eventId ?? null,
  });
}

async function wordsOf(run: AgentRun) {
  const events = await eventsOf(run);
  return events.filter(isWord).map((event) => ({ ...event, at: undefined, eventId: undefined }));
}

const isWord = ({ type }: RunEvent) => type === 'steered' || type === 'decided';
