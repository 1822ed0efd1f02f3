// AgentExecutor of @langchain/classic (docs: "Agents", v0.3): it keeps nothing, so a client that got no answer asks again from the start.
import { AgentExecutor, createToolCallingAgent } from '@langchain/classic/agents';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { modelUrl, postEntry, serve } from '../adapters/serve.ts';

const post = tool((input, { signal }) => postEntry(input, undefined, signal), {
  name: 'post',
  description: 'Posts an entry to the ledger.',
  schema: z.object({ run: z.string(), part: z.string() }),
});
const llm = new ChatOpenAI({ model: 'durability', apiKey: 'none', configuration: { baseURL: modelUrl } });
const prompt = ChatPromptTemplate.fromMessages([
  ['human', '{input}'],
  ['placeholder', '{agent_scratchpad}'],
]);
const agent = createToolCallingAgent({ llm, tools: [post], prompt });
const executor = new AgentExecutor({ agent, tools: [post] });

const runs = new Map();
const aborts = new Map();
serve({
  async start(id, input) {
    runs.set(id, { state: 'running' });
    const abort = new AbortController();
    aborts.set(id, abort);
    executor.invoke({ input }, { signal: abort.signal }).then(
      ({ output }) => runs.set(id, { state: 'done', answer: output }),
      (error) =>
        runs.set(
          id,
          abort.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error: String(error) },
        ),
    );
  },
  read: async (id) => runs.get(id) ?? { state: 'running' },
  async approve() {},
  async cancel(id) {
    if (aborts.has(id)) aborts.get(id).abort();
    else runs.set(id, { state: 'cancelled' });
  },
});
