// Docs of Temporal: a worker with a plugin, activities with heartbeats, a workflow id for each run. "Activity idempotency": the activity passes a key that is
// the same in each attempt. "Cancellation": an activity with heartbeats learns of it by its signal. "Message passing": a conversation is a workflow, its messages
// are updates, each with its id.
import { Context } from '@temporalio/activity';
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { delegates, isConversation, postEntry, serve } from '../adapters/serve.ts';
import { bundleOf } from './bundle.mjs';

async function post(input) {
  const { cancellationSignal, info } = Context.current();
  const beat = setInterval(() => Context.current().heartbeat(), 1000);
  try {
    return await postEntry(
      input,
      `${info.workflowExecution.workflowId} ${info.activityId}`,
      cancellationSignal,
    );
  } finally {
    clearInterval(beat);
  }
}

/** Serves the workflow `clerk` of a file beside this one, with the plugins of its worker and of its client. */
export async function serveWorkflow(file, plugins, clientPlugins = []) {
  const address = process.env.TEMPORAL_ADDRESS;
  const taskQueue = `durability-${file}`;
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue,
    workflowBundle: await bundleOf(file, plugins),
    plugins,
    activities: { post, look: async () => '' },
  });
  void worker.run();
  const client = new Client({ connection: await Connection.connect({ address }), plugins: clientPlugins });

  serve({
    async start(workflowId, question, thread) {
      if (isConversation(thread)) {
        const startWorkflowOperation = new WithStartWorkflowOperation('talk', {
          workflowId: thread,
          taskQueue,
          workflowIdConflictPolicy: 'USE_EXISTING',
        });
        return client.workflow.startUpdateWithStart('say', {
          args: [question],
          updateId: workflowId,
          waitForStage: 'ACCEPTED',
          startWorkflowOperation,
        });
      }
      await client.workflow.start(delegates(workflowId) ? 'office' : 'clerk', {
        workflowId,
        taskQueue,
        args: [question],
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
    },
    async read(id, thread) {
      const handle = client.workflow.getHandle(thread);
      if (isConversation(thread)) {
        const answer = (await handle.query('answers'))[id];
        return answer === undefined ? { state: 'running' } : { state: 'done', answer };
      }
      const { status } = await handle.describe();
      if (status.name === 'COMPLETED') return { state: 'done', answer: await handle.result() };
      if (status.name === 'CANCELLED') return { state: 'cancelled' };
      if (status.name !== 'RUNNING') return { state: 'failed', error: status.name };
      return (await handle.query('waiting'))
        ? { state: 'waiting', reason: 'approval' }
        : { state: 'running' };
    },
    approve: (id) => client.workflow.getHandle(id).signal('approve'),
    cancel: (id) => client.workflow.getHandle(id).cancel(),
  });
}
