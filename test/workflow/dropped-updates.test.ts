import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { defineModel } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { sessionId } from '../../agent/session/session.ts';
import { useRig, waitOf } from '../support/rig.ts';

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
const model = defineModel({
  call({ prompt }) {
    const said = JSON.stringify(prompt);
    const isAsked = said.includes('my bill') && !said.includes('paid');
    const toolCalls = isAsked ? [{ id: 'c', name: 'pay', arguments: '{"__arg1":"9"}' }] : [];
    return Promise.resolve({
      text: toolCalls.length === 0 ? 'done' : '',
      toolCalls,
      finishReason: 'stop',
      usage,
    });
  },
});
const pay = defineTool({ name: 'pay', description: 'pays', approval: 'always', run: () => 'paid' });
const rig = useRig({ agents: [{ name: 'clerk', kind: 'tool-calling', model, tools: [pay] }] });

/** Temporal's number of the command that completes a workflow. */
const COMPLETE_WORKFLOW = 4;

/**
 * Takes the next workflow task, and ends the workflow in it while a signal arrives: the server drops the task and the update in it.
 * Source: `handleCommandCompleteWorkflow` in service/history/api/respondworkflowtaskcompleted of Temporal 1.29.1.
 */
async function dropTask(workflowId: string): Promise<number> {
  const { workflowService, connection, options, workflow } = rig.temporal;
  const { namespace } = options;
  const queue = { namespace, taskQueue: { name: rig.taskQueue }, identity: 'by hand' };
  const poll = () => workflowService.pollWorkflowTaskQueue(queue);
  const { taskToken, messages } = await connection.withDeadline(Date.now() + 30_000, poll);
  await workflow.getHandle(workflowId).signal('from-somebody-else');
  const ended = workflowService.respondWorkflowTaskCompleted({
    namespace,
    identity: 'by hand',
    taskToken,
    commands: [{ commandType: COMPLETE_WORKFLOW, completeWorkflowExecutionCommandAttributes: {} }],
  });
  await expect(ended).rejects.toThrow('UnhandledCommand');
  return messages.length;
}

test('a decision that the server drops with its workflow task is sent again', async () => {
  const run = await rig.client.start('clerk', 'pay my bill');
  await waitOf(run);
  let receipt: Promise<unknown> | undefined;
  await rig.restart(async () => {
    receipt = run.decide(undefined, { type: 'approve' });
    await expect(dropTask(run.id)).resolves.toBe(1);
  });
  await receipt;
  expect((await run.result()).output).toBe('done');
});

test('a question in a session that the server drops with its workflow task is asked once', async () => {
  const session = `dropped-${randomUUID()}`;
  let started: ReturnType<typeof rig.client.start> | undefined;
  await rig.restart(async () => {
    started = rig.client.start('clerk', 'hello', { session });
    await expect(dropTask(sessionId(session))).resolves.toBe(1);
  });
  const run = await started;
  expect((await run?.result())?.output).toBe('done');
  expect((await rig.client.session(session).describe()).messages.map(({ content }) => content)).toEqual([
    'hello',
    'done',
  ]);
});
