// AgentExecutor of @langchain/classic (docs: "Agents", v0.3): it keeps nothing, so a client that got no answer asks again from the start. An agent for another one
// is an executor in a tool.
import { AgentExecutor, createToolCallingAgent } from '@langchain/classic/agents';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { CLERK, LOOK, POST, isDeployed } from '../adapters/offered.ts';
import { delegates, modelUrl, postEntry, serve } from '../adapters/serve.ts';

const post = tool((input, { signal }) => postEntry(input, undefined, signal), {
  name: POST.name,
  description: POST.description,
  schema: z.object({ run: z.string(), part: z.string() }),
});
const look = tool(async () => '', { ...LOOK, schema: z.object({ run: z.string(), part: z.string() }) });
const llm = new ChatOpenAI({ model: 'durability', apiKey: 'none', configuration: { baseURL: modelUrl } });
const prompt = ChatPromptTemplate.fromMessages([
  ['human', '{input}'],
  ['placeholder', '{agent_scratchpad}'],
]);
const executorOf = (tools) =>
  new AgentExecutor({ agent: createToolCallingAgent({ llm, tools, prompt }), tools });
const clerk = executorOf(isDeployed ? [post, look] : [post]);
const askClerk = tool(async ({ input }, { signal }) => (await clerk.invoke({ input }, { signal })).output, {
  ...CLERK,
  schema: z.object({ input: z.string() }),
});
const office = executorOf([askClerk]);

const runs = new Map();
const aborts = new Map();
serve({
  async start(id, input) {
    runs.set(id, { state: 'running' });
    const abort = new AbortController();
    aborts.set(id, abort);
    const executor = delegates(id) ? office : clerk;
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
