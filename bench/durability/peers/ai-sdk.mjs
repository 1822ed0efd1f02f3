// Docs of Temporal, "AI SDK by Vercel integration" (docs.temporal.io/develop/typescript/integrations/ai-sdk): the plugin with a provider on the worker,
// tools as activities. "Activities", "Heartbeat": the activity sends heartbeats, and passes a key that is the same in each attempt.
import { createOpenAI } from '@ai-sdk/openai';
import { Context } from '@temporalio/activity';
import { AiSdkPlugin } from '@temporalio/ai-sdk';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { modelUrl, postEntry, serve } from '../adapters/serve.ts';
import { bundleOf } from './bundle.mjs';

const address = process.env.TEMPORAL_ADDRESS;
const taskQueue = 'durability-ai-sdk';
const openai = createOpenAI({ baseURL: modelUrl, apiKey: 'none' });
const modelProvider = { ...openai, languageModel: (id) => openai.chat(id) };
const plugins = [new AiSdkPlugin({ modelProvider })];

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
  workflowBundle: await bundleOf('ai-sdk-workflows.cjs', plugins),
  plugins,
  activities: { post },
});
void worker.run();
const client = new Client({ connection: await Connection.connect({ address }) });

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
