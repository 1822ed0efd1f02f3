// Mastra, as its docs say: "Durable agents" (createDurableAgent; "Manual recovery": checkpoints of running runs, and recoverActiveRuns() at the start
// of a program that is not the generated server), "Agent approval" (requireApproval, listSuspendedRuns, resume), "Memory" and "LibSQL" (the
// conversation of a run is a thread in a LibSQL file, where its answer is found later).
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createDurableAgent } from '@mastra/core/agent/durable';
import { createTool } from '@mastra/core/tools';
import { LibSQLStore } from '@mastra/libsql';
import { Memory } from '@mastra/memory';
import { createOpenAI } from '@ai-sdk/openai';
import { z } from 'zod';
import { modelUrl, needsApproval, postEntry, serve, stateFolder } from '../adapters/serve.ts';

const openai = createOpenAI({ baseURL: modelUrl, apiKey: 'none' });
const memory = new Memory({ options: { lastMessages: 20 } });

function clerkOf(id, requireApproval) {
  const post = createTool({
    id: 'post',
    description: 'Posts an entry to the ledger.',
    inputSchema: z.object({ run: z.string(), part: z.string() }),
    requireApproval,
    execute: (input, { agent }) => postEntry(input, `${input.run} ${agent?.toolCallId}`),
  });
  const agent = new Agent({
    id,
    name: id,
    instructions: '',
    model: openai.chat('durability'),
    tools: { post },
    memory,
  });
  return createDurableAgent({ agent, maxSteps: 20 });
}
const clerk = clerkOf('clerk', false);
const asking = clerkOf('asking', true);
const mastra = new Mastra({
  agents: { clerk, asking },
  storage: new LibSQLStore({ id: 'storage', url: `file:${stateFolder}/mastra.db` }),
  recovery: { durableAgents: 'auto' },
  logger: false,
});

const under = new Set();
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
const of = (id) => (needsApproval(id) ? asking : clerk);
const suspended = async (id) => (await of(id).listSuspendedRuns()).runs.find(({ runId }) => runId === id);
const active = async (id) => (await of(id).listActiveRuns()).runs.some(({ runId }) => runId === id);
async function answer(id) {
  const { messages } = await memory.recall({ threadId: id, resourceId: id }).catch(() => ({ messages: [] }));
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return undefined;
  return last.content.parts.findLast(({ type }) => type === 'text')?.text;
}
const options = (id) => ({ runId: id, memory: { thread: id, resource: id }, closeOnSuspend: true });
async function recover(agent) {
  const { recovered } = await agent.recoverActiveRuns();
  for (const { runId, status, error } of recovered) if (status === 'failed') errors.set(runId, String(error));
}
for (const agent of [clerk, asking]) void recover(mastra.getAgent(agent.id));

serve({
  async start(id, question) {
    if (errors.has(id) || under.has(id) || (await suspended(id)) || (await active(id)) || (await answer(id)))
      return;
    void follow(id, () => of(id).stream(question, options(id)));
  },
  async read(id) {
    if (under.has(id)) return { state: 'running' };
    if (await suspended(id)) return { state: 'waiting', reason: 'approval' };
    const text = (await active(id)) ? undefined : await answer(id);
    if (text !== undefined) return { state: 'done', answer: text };
    return errors.has(id) ? { state: 'failed', error: errors.get(id) } : { state: 'running' };
  },
  async approve(id) {
    void follow(id, () => of(id).resume(id, { approved: true }));
  },
});
