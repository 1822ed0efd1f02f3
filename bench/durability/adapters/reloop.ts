import { NativeConnection } from '@temporalio/worker';
import { agentTool, createWorker, defineAgent, defineConfig, defineTool, openai } from 'reloop';
import { AgentClient } from 'reloop/client';
import { z } from 'zod/v4';
import { CLERK, LOOK, POST, isDeployed } from './offered.ts';
import {
  delegates,
  isConversation,
  isPosted,
  modelUrl,
  needsApproval,
  postEntry,
  serve,
  stateFolder,
} from './serve.ts';

/**
 * Reloop as its docs say. tools.md, "Effects": a tool that takes effect once has a short time-out, asks the service after a death, and passes
 * the idempotency key and its signal. killed-workers.md: the worker has a state folder. client.md: a client starts runs by id, and cancels
 * them. sessions.md: a conversation is a session. tools.md, "An agent as a tool".
 */
const address = process.env['TEMPORAL_ADDRESS'] ?? '';
const taskQueue = 'durability';
const post = defineTool({
  name: POST.name,
  description: POST.description,
  input: z.object({ run: z.string(), part: z.string() }),
  approval: ({ run }) => needsApproval(run),
  effects: 'once',
  timeout: '20s',
  run: (input, { idempotencyKey, signal }) => postEntry(input, idempotencyKey, signal),
  reconcile: async (input) =>
    (await isPosted(input)) ? { status: 'done', output: '' } : { status: 'notDone' },
});
const look = defineTool({
  name: LOOK.name,
  description: LOOK.description,
  effects: 'none',
  run: async () => '',
});
const usual = { kind: 'tool-calling', model: 'durability' } as const;
const clerk = defineAgent({ ...usual, name: 'clerk', tools: isDeployed ? [post, look] : [post] });
const office = defineAgent({
  ...usual,
  name: 'office',
  tools: [agentTool({ agent: 'clerk', description: CLERK.description })],
});
const models = { durability: openai({ baseURL: modelUrl, apiKey: 'none' }) };
const config = defineConfig({ agents: [clerk, office], models, taskQueue });
const connection = await NativeConnection.connect({ address });
const worker = await createWorker(config, { connection, address, stateDir: stateFolder });
void worker.run();
const client = await AgentClient.connect({ address, taskQueue });
serve({
  start: (id, question, thread) =>
    client.start(
      delegates(id) ? 'office' : 'clerk',
      question,
      isConversation(thread) ? { id, session: thread } : { id },
    ),
  async read(id) {
    const { status, output, error, waiting } = await client.get(id).describe();
    if (status === 'completed') return { state: 'done', answer: typeof output === 'string' ? output : '' };
    if (status === 'cancelled') return { state: 'cancelled' };
    const wait = waiting.find(({ until }) => until === undefined);
    if (status === 'running' || wait === undefined)
      return status === 'failed' ? { state: 'failed', error: String(error?.message) } : { state: 'running' };
    return { state: 'waiting', reason: wait.reason === 'approval' ? 'approval' : 'doubt' };
  },
  approve: (id) => client.get(id).decide('1.1', { type: 'approve' }),
  cancel: (id) => client.get(id).cancel(),
});
