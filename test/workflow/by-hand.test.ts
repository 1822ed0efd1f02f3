import type { WorkflowHandle } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { startExamples } from '../../agent/start/misstart.ts';
import { bytes, failedTasks, unreadable } from '../support/raw-payloads.ts';
import { useRig } from '../support/rig.ts';
import { answer, script } from '../support/scripts.ts';

/** Runs, sessions and backtests that somebody starts with Temporal's own means, as programs in other languages do. */
const FINAL = '```json\n{"action": "Final Answer", "action_input": "hello"}\n```';
const agents = [
  { name: 'helper', model: script(answer('25')) },
  { name: 'talker', kind: 'conversational' as const, model: script(FINAL) },
];
const rig = useRig({ agents }, { rollingDeploys: false });

let count = 0;
const newId = (name: string) => `${name}-${rig.taskQueue}-${count++}`;

async function start(type: string, args: unknown[], workflowId = newId(type)): Promise<WorkflowHandle> {
  return rig.temporal.workflow.start(type, { workflowId, taskQueue: rig.taskQueue, args });
}

/** With payloads as no client of this language writes them. */
async function startRaw(type: string, payloads: Payload[]): Promise<WorkflowHandle> {
  const workflowId = newId(type);
  await rig.temporal.workflowService.startWorkflowExecution({
    namespace: 'default',
    workflowId,
    workflowType: { name: type },
    taskQueue: { name: rig.taskQueue },
    input: { payloads },
    requestId: workflowId,
  });
  return rig.temporal.workflow.getHandle(workflowId);
}

async function failureOf(run: WorkflowHandle): Promise<unknown> {
  const failure: unknown = await run.result().catch((error: unknown) => error);
  expect(await failedTasks(run)).toBe(0);
  return failure;
}

const refusedWith = (words: string): unknown =>
  expect.objectContaining({
    cause: expect.objectContaining({
      type: 'InvalidInput',
      nonRetryable: true,
      message: expect.stringContaining(words) as string,
    }) as unknown,
  });

describe('a run that is started by hand', () => {
  test.each<[string, unknown]>([
    ['an agent and a question', { agent: 'helper', input: 'What?' }],
    ['null for all that is not set, as Go writes it', { ...nothingSet, agent: 'helper', input: 'What?' }],
    ['the form that the client library records', { agent: 'helper', question: { input: 'What?' } }],
  ])('answers with %s, and is listed as any other', async (_title, input) => {
    const run = await start('agentRun', [input]);
    expect(await run.result()).toMatchObject({ output: '25', stopReason: 'final_answer' });
    expect(await failedTasks(run)).toBe(0);
    const report = await rig.client.get(run.workflowId).describe();
    expect(report).toMatchObject({ agent: 'helper', input: 'What?', status: 'completed', output: '25' });
    const listed = async () => {
      for await (const one of rig.client.list({ agent: 'helper', text: 'What?' }))
        if (one.id === run.workflowId) return one.status;
      return undefined;
    };
    await expect.poll(listed).toBe('completed');
  });

  test('fails where nobody knows its agent, and the list names the agent', async () => {
    const run = await start('agentRun', [{ agent: 'stranger', input: 'What?' }]);
    expect(await failureOf(run)).toMatchObject({ cause: { type: 'AgentNotFound' } });
    expect((await run.describe()).memo).toEqual({ agent: 'stranger', input: 'What?' });
  });

  test.each<[string, unknown[], string]>([
    ['nothing', [], 'there is no input'],
    ['bytes', [bytes('{}')], 'the input is bytes'],
    ['a slip in a name', [{ agent: 'helper', input: 'a', chat_history: [] }], 'Did you mean chatHistory?'],
    ['two arguments', ['helper', 'What?'], 'there are 2 arguments'],
  ])('fails at once with %s', async (_title, args, words) => {
    const run = await start('agentRun', args);
    expect(await failureOf(run)).toEqual(refusedWith(words));
    expect(await rig.client.get(run.workflowId).describe()).toMatchObject({
      status: 'failed',
      error: { type: 'InvalidInput', message: expect.stringContaining('{"agent":"helper","input":"') },
    });
  });
});

/** Of a struct with optional fields. */
const nothingSet = {
  chatHistory: null,
  variables: null,
  model: null,
  budget: null,
  question: null,
};

test.each(unreadable)('no workflow of Reloop is held up by an input that is %s', async (_title, input) => {
  const types = Object.keys(startExamples);
  const runs = await Promise.all(types.map((type) => startRaw(type, [input])));
  expect(await Promise.all(runs.map(failureOf))).toEqual(
    types.map((type) => refusedWith(`${type}: the input cannot be read`)),
  );
  expect(await rig.client.get(String(runs[0]?.workflowId)).describe()).toMatchObject({ status: 'failed' });
});

describe('a session that is started by hand', () => {
  test.each([[[]], [[{ messages: null }]]])('takes its name from its id: %j', async (args) => {
    const name = newId('by-hand');
    const session = await start('agentSession', args, `session:${name}`);
    const message = { id: `${name}-1`, agent: 'talker', input: 'Hi', overrides: null, variables: null };
    await session.executeUpdate('send', { args: [message] });
    expect((await rig.client.get(message.id).result()).output).toBe('hello');
    await expect
      .poll(async () => (await rig.client.session(name).describe()).messages)
      .toMatchObject([{ content: 'Hi' }, { content: 'hello' }]);
    await session.executeUpdate('clear');
    await session.result();
    expect(await failedTasks(session)).toBe(0);
  });

  test.each<[string, unknown[], string | undefined, string]>([
    ['an id that is none of a session', [], undefined, 'the workflow id of a session is session:'],
    ['a conversation', [{ messages: [{ role: 'user', content: 'x' }] }], 'session:a', 'no messages'],
  ])('fails at once with %s', async (_title, args, id, words) => {
    const session = await start('agentSession', args, id && newId(id));
    expect(await failureOf(session)).toEqual(refusedWith(words));
  });
});

describe('a backtest that is started by hand', () => {
  test('asks recorded runs again', async () => {
    const run = await rig.client.start('helper', 'What?');
    await run.result();
    const { runId } = await rig.temporal.workflow.getHandle(run.id).describe();
    const name = newId('b');
    const input = { agent: 'helper', runs: [{ workflowId: run.id, runId }] };
    const backtest = await start('backtest', [input], `backtest:${name}`);
    expect(await backtest.result()).toMatchObject({ same: 1 });
    expect((await backtest.describe()).memo).toEqual({ agent: 'helper' });
  });
});
