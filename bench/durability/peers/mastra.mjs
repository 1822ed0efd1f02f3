// Mastra, as its docs say: "Durable agents" (createDurableAgent; "Manual recovery": checkpoints of running runs, and recoverActiveRuns() at the start
// of a program that is not the generated server), "Agent approval" (requireApproval, listSuspendedRuns, resume), "Memory" and "LibSQL" (the
// conversation of a run is a thread in a LibSQL file, where its answer is found later), "Aborting a run" (abortRunStream; tools have the signal), "Supervisor
// agents" (`agents` of an agent).
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { createOpenAI } from '@ai-sdk/openai';
import { z } from 'zod';
import { CLERK, LOOK, POST, isDeployed } from '../adapters/offered.ts';
import {
  delegates,
  isConversation,
  modelUrl,
  needsApproval,
  postEntry,
  serve,
  stateFolder,
} from '../adapters/serve.ts';

const openai = createOpenAI({ baseURL: modelUrl, apiKey: 'none' });
const memory = new Memory({ options: { lastMessages: 100 } });

const inputSchema = z.object({ run: z.string(), part: z.string() });

function clerkOf(id, requireApproval) {
  const post = createTool({
    id: POST.name,
    description: POST.description,
    inputSchema,
    requireApproval,
    execute: (input, { abortSignal, agent }) =>
      postEntry(input, `${input.run} ${agent?.toolCallId}`, abortSignal),
  });
  const look = createTool({
    id: LOOK.name,
    description: LOOK.description,
    inputSchema,
    execute: async () => '',
  });
  return agentOf(id, {
    tools: isDeployed ? { post, look } : { post },
    memory,
    description: CLERK.description,
  });
}
function agentOf(id, fields) {
  return new Agent({ id, name: id, instructions: '', model: openai.chat('durability'), ...fields });
}
const durable = (agent) => createDurableAgent({ agent, maxSteps: 20 });
const clerk = durable(clerkOf('clerk', false));
const asking = durable(clerkOf('asking', true));
const office = durable(agentOf('office', { agents: { clerk: clerkOf('sub-agent', false) }, memory }));
const mastra = new Mastra({
  agents: { clerk, asking, office },
  storage: new LibSQLStore({ id: 'storage', url: `file:${stateFolder}/mastra.db` }),
  recovery: { durableAgents: 'auto' },
  logger: false,
});

const under = new Set();
const aborted = new Set();
const errors = new Map();
async function follow(id, begin) {
  if (under.has(id)) return;
  under.add(id);
  try {
    const { output } = await begin();
    await output.text;
  } catch (error) {
    errors.set(id, String(error));
  } finally {
    under.delete(id);
  }
}
const of = (id) => (needsApproval(id) ? asking : delegates(id) ? office : clerk);
const suspended = async (id) => (await of(id).listSuspendedRuns()).runs.find(({ runId }) => runId === id);
const active = async (id) => (await of(id).listActiveRuns()).runs.some(({ runId }) => runId === id);
/** The answer to a message: the last text of its thread, if the thread has as many questions. */
async function answer(id, thread) {
  const { messages } = await memory
    .recall({ threadId: thread, resourceId: thread, perPage: false })
    .catch(() => ({ messages: [] }));
  const asked = messages.filter(({ role }) => role === 'user').length;
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || (isConversation(thread) && asked < Number(id.split('.').at(-1))))
    return undefined;
  return last.content.parts.findLast(({ type }) => type === 'text')?.text;
}
const options = (id, thread) => ({
  runId: id,
  memory: { thread, resource: thread },
  closeOnSuspend: true,
});
async function recover(agent) {
  const { recovered } = await agent.recoverActiveRuns();
  for (const { runId, status, error } of recovered) if (status === 'failed') errors.set(runId, String(error));
}
for (const agent of [clerk, asking, office]) void recover(mastra.getAgent(agent.id));

serve({
  async start(id, question, thread) {
    if (errors.has(id) || under.has(id) || (await suspended(id)) || (await active(id))) return;
    if ((await answer(id, thread)) === undefined)
      void follow(id, () => of(id).stream(question, options(id, thread)));
  },
  async read(id, thread) {
    if (under.has(id)) return { state: 'running' };
    if (aborted.has(id)) return { state: 'cancelled' };
    if (await suspended(id)) return { state: 'waiting', reason: 'approval' };
    const text = (await active(id)) ? undefined : await answer(id, thread);
    if (text !== undefined) return { state: 'done', answer: text };
    return errors.has(id) ? { state: 'failed', error: errors.get(id) } : { state: 'running' };
  },
  async approve(id) {
    void follow(id, () => of(id).resume(id, { approved: true }));
  },
  async cancel(id) {
    of(id).abortRunStream(id);
    aborted.add(id);
  },
});
