import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { DecisionRefused } from '../../client/connect/errors.ts';
import { ModelError } from '../../models/model.ts';
import { z } from 'zod';
import { defineTool } from '../../tools/tool.ts';
import { readStart } from '../../history/read/facts.ts';
import { AGENT_RUN } from '../../workflows/messages.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { act, answer, modelOf } from '../support/scripts.ts';

let broken = true;
let made: string[] = [];
const long = 'z'.repeat(3000);
const fails = defineTool({
  name: 'fails',
  description: 'fails the run',
  retry: { maxAttempts: 1 },
  onFailure: 'fail',
  run(input, { idempotencyKey }) {
    made.push(`fails ${input} ${idempotencyKey}`);
    if (broken) throw new Error('out of order');
    return `fine ${input}`;
  },
});
const waits = defineTool({
  name: 'waits',
  description: 'waits for a person',
  retry: { maxAttempts: 1 },
  run(input) {
    made.push(`waits ${input}`);
    if (broken) throw new Error('out of order');
    return `fine ${input}`;
  },
});
const fine = defineTool({
  name: 'fine',
  description: 'is fine',
  input: z.object({ n: z.number() }),
  run({ n }) {
    made.push(`fine ${n}`);
    return `${n} ${long}`;
  },
});
const failing = defineTool({
  name: 'failing',
  description: 'fails once the other one is done',
  input: z.object({ n: z.number() }),
  retry: { maxAttempts: 1 },
  onFailure: 'fail',
  async run({ n }) {
    while (made.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    if (broken) throw new Error('out of order');
    return `now ${n}`;
  },
});
/** A turn with two native tool calls, then an answer. */
const several = modelOf((step) => {
  if (step !== '1') return 'done';
  const toolCalls = ['fine', 'failing'].map((name, n) => ({ id: name, name, arguments: `{"n":${n + 1}}` }));
  return { text: 'both', toolCalls };
});
const model = modelOf((step) => {
  if (step === '3' && broken) throw new ModelError('ModelBadRequest', 'not there', { retryable: false });
  return Number(step) < 3 ? act('waits', step) : answer('ok');
});
const once = (tool: string) => modelOf((step) => (step === '1' ? act(tool, 'in') : answer('ok')));
const onceFails = once('fails');
const onceWaits = once('waits');

const rig = useRig({
  agents: [
    { name: 'fails', model: onceFails, tools: [fails] },
    { name: 'waits', model: onceWaits, tools: [waits] },
    { name: 'several', kind: 'tool-calling', model: several, tools: [fine, failing] },
    { name: 'model', model, tools: [waits] },
  ],
});
beforeEach(() => {
  broken = true;
  made = [];
  for (const { requests } of [model, onceFails, onceWaits]) requests.length = 0;
});

describe('a run that has failed', () => {
  test('goes back to the failed call, and the model is asked nothing anew', async () => {
    const run = await rig.client.start('fails', 'what?');
    await expect(run.result()).rejects.toThrow('out of order');
    broken = false;
    expect(await run.retry()).toEqual({ id: run.id, runId: expect.any(String), step: 1, calls: ['1.1'] });
    const { output, intermediateSteps, iterations, usage } = await run.result();
    expect({ output, iterations, modelCalls: usage.modelCalls }).toEqual({
      output: 'ok',
      iterations: 2,
      modelCalls: 2,
    });
    expect(intermediateSteps).toMatchObject([{ call: '1.1', observation: 'fine in', attempts: 2 }]);
    expect(onceFails.requests.map(({ step }) => step)).toEqual(['1', '2']);
    // It is the same call: what it does is done once.
    expect(new Set(made).size).toBe(1);
    expect(made).toHaveLength(2);
  });

  test('waits anew, by a number that none of its waits had before', async () => {
    const run = await rig.client.start('waits', 'what?');
    await waitOf(run);
    await run.decide('1.1', { type: 'abort' });
    await expect(run.result()).rejects.toThrow('Aborted');
    await run.retry();
    const told: number[] = [];
    const result = run.result({
      async onWaiting({ call, n }, asked) {
        told.push(n);
        broken = false;
        await asked.decide(call, { type: 'retry' }, n);
      },
    });
    expect((await result).output).toBe('ok');
    expect(told).toEqual([1]);
  });

  test('can fail again, and be retried again', async () => {
    const run = await rig.client.start('fails', 'what?');
    await expect(run.result()).rejects.toThrow('out of order');
    await run.retry();
    await expect(run.result()).rejects.toThrow('out of order');
    broken = false;
    await rig.restart();
    await run.retry();
    expect((await run.result()).intermediateSteps).toMatchObject([{ observation: 'fine in', attempts: 3 }]);
  });

  test('can have another input for the call', async () => {
    const run = await rig.client.start('fails', 'what?');
    await expect(run.result()).rejects.toThrow('out of order');
    broken = false;
    await run.retry({ call: '1.1', input: 'better' });
    expect((await run.result()).intermediateSteps).toMatchObject([
      { action: { toolInput: 'better' }, observation: 'fine better' },
    ]);
  });

  test('keeps the calls of the turn that ended', async () => {
    const run = await rig.client.start('several', 'what?');
    await expect(run.result()).rejects.toThrow('out of order');
    const first = (await run.describe()).intermediateSteps[0];
    broken = false;
    await rig.restart();
    expect((await run.retry()).calls).toEqual(['1.2']);
    const { output, intermediateSteps } = await run.result();
    expect(output).toBe('done');
    expect(intermediateSteps[0]).toEqual(first);
    expect(intermediateSteps[1]).toMatchObject({ call: '1.2', observation: 'now 2' });
    expect(made).toEqual(['fine 1']);
  });

  test('has the model asked again where its call failed', async () => {
    broken = false;
    const run = await rig.client.start('model', 'what?');
    await run.result();
    broken = true;
    await run.rewind({ step: 3 });
    await expect(run.result()).rejects.toThrow('not there');
    broken = false;
    expect(await run.retry()).toMatchObject({ step: 3, calls: [] });
    expect(await run.result()).toMatchObject({ output: 'ok', iterations: 3 });
  });

  test('before its agent was known begins anew', async () => {
    const run = await rig.client.start('nobody', 'what?');
    await rig.temporal.workflow.getHandle(run.id).terminate('a test');
    expect(await run.retry()).toMatchObject({ step: 1, calls: [] });
    expect(await run.describe()).toMatchObject({ status: 'running', agent: 'nobody', input: 'what?' });
    await rig.temporal.workflow.getHandle(run.id).terminate('a test');
  });

  test('before its agent was known keeps what its parent has left, and the run that it is in place of', async () => {
    const ofParent = { parentBudget: { totalTokens: 100 }, insteadOf: 'another' };
    const question = { input: 'what?', chatHistory: [] };
    const { workflowId } = await rig.temporal.workflow.start(AGENT_RUN, {
      workflowId: `nobody-${randomUUID()}`,
      taskQueue: rig.taskQueue,
      args: [{ agent: 'nobody', question, ...ofParent }],
    });
    const handle = rig.temporal.workflow.getHandle(workflowId);
    await handle.terminate('a test');
    for (const _ of [1, 2]) {
      const { runId } = await rig.client.get(workflowId).retry();
      const start = await readStart(rig.temporal, { workflowId, runId });
      expect(await start?.input()).toMatchObject({ agent: 'nobody', question, ...ofParent });
      await handle.terminate('a test');
    }
  });
});

test.each([
  ['cancelled', (id: string) => rig.client.get(id).cancel()],
  ['aborted', (id: string) => rig.client.get(id).decide('1.1', { type: 'abort' })],
  ['terminated', (id: string) => rig.temporal.workflow.getHandle(id).terminate('a test')],
])('a run that was %s goes back to the call that it had not ended', async (_how, end) => {
  const run = await rig.client.start('waits', 'what?');
  await waitOf(run);
  await end(run.id);
  await expect(run.result()).rejects.toThrow();
  broken = false;
  expect((await run.retry()).calls).toEqual(['1.1']);
  expect(await run.result()).toMatchObject({ output: 'ok' });
  expect(onceWaits.requests.map(({ step }) => step)).toEqual(['1', '2']);
  expect(await run.describe()).toMatchObject({ status: 'completed', waiting: [], error: null });
});

test('a run that has its answer, or goes on, has nothing to be retried', async () => {
  const open = await rig.client.start('waits', 'what?');
  await waitOf(open);
  await expect(open.retry()).rejects.toThrow(DecisionRefused);
  broken = false;
  await open.decide('1.1', { type: 'retry' });
  await open.result();
  await expect(open.retry()).rejects.toThrow(/has its answer.*reloop rewind/u);
});

test.each([
  ['another call', { call: '7.1' }, /call 7\.1 .* is not made again\. Calls that are made again: 1\.1\./u],
  [
    'an input that the tool does not take',
    { call: '1.1', input: { a: 1, b: 2 } },
    /does not fit 1\.1: the tool takes one/u,
  ],
])('a retry of a failed run with %s is refused', async (_what, options, why) => {
  const run = await rig.client.start('fails', 'what?');
  await expect(run.result()).rejects.toThrow('out of order');
  await expect(run.retry(options)).rejects.toThrow(why);
  expect(await run.describe()).toMatchObject({ status: 'failed' });
});
