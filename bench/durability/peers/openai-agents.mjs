// README of @temporalio/openai-agents 1.23: "Quick start": the plugin on the worker and on the client, tools as activities with time-outs and
// heartbeats. "Tools should be idempotent": the activity passes a key that is the same in each attempt.
import { setTracingDisabled } from '@openai/agents-core';
import { OpenAIProvider } from '@openai/agents-openai';
import { Context } from '@temporalio/activity';
import { Client, Connection } from '@temporalio/client';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import { NativeConnection, Worker } from '@temporalio/worker';
import { OpenAI } from 'openai';
import { modelUrl, postEntry, serve } from '../adapters/serve.ts';
import { bundleOf } from './bundle.mjs';

setTracingDisabled(true); // it would send traces to OpenAI
const address = process.env.TEMPORAL_ADDRESS;
const taskQueue = 'durability-openai-agents';
const openAIClient = new OpenAI({ baseURL: modelUrl, apiKey: 'none' });
const modelProvider = new OpenAIProvider({ openAIClient, useResponses: false });
const plugin = new OpenAIAgentsPlugin({
  modelProvider,
  modelParams: { startToCloseTimeout: '30s', heartbeatTimeout: '10s' },
});

const plugins = [plugin];

async function post(input) {
  const { info } = Context.current();
  const beat = setInterval(() => Context.current().heartbeat(), 1000);
  try {
    return await postEntry(input, `${info.workflowExecution.workflowId} ${info.activityId}`);
  } finally {
    clearInterval(beat);
  }
}
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowBundle: await bundleOf('openai-agents-workflows.cjs', plugins),
  plugins,
  activities: { post },
});
void worker.run();
const client = new Client({ connection: await Connection.connect({ address }), plugins });

serve({
  async start(workflowId, question) {
    await client.workflow.start('clerk', {
      workflowId,
      taskQueue,
      args: [question],
      workflowIdConflictPolicy: 'USE_EXISTING',
    });
  },
  async read(id) {
    const handle = client.workflow.getHandle(id);
    const { status } = await handle.describe();
    if (status.name === 'COMPLETED') return { state: 'done', answer: await handle.result() };
    if (status.name !== 'RUNNING') return { state: 'failed', error: status.name };
    return (await handle.query('waiting')) ? { state: 'waiting', reason: 'approval' } : { state: 'running' };
  },
  approve: (id) => client.workflow.getHandle(id).signal('approve'),
});
