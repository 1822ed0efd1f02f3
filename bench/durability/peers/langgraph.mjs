// An agent of `langchain` on LangGraph's checkpoints in PostgreSQL. Docs: "Durable execution" (durability "sync" before a side effect; resume with
// null and the same thread id), "Interrupts" (interrupt in a tool, resume with Command), "Persistence" (PostgresSaver in production).
import { Command, interrupt } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { modelUrl, needsApproval, postEntry, serve } from '../adapters/serve.ts';

const checkpointer = PostgresSaver.fromConnString(process.env.POSTGRES_URL);
await checkpointer.setup();
const post = tool(
  async (input, config) => {
    if (needsApproval(input.run)) interrupt({ question: 'Post it?' });
    // The id of the call is the same when the step runs again.
    return postEntry(input, `${config.configurable?.thread_id} ${config.toolCall?.id}`);
  },
  {
    name: 'post',
    description: 'Posts an entry to the ledger.',
    schema: z.object({ run: z.string(), part: z.string() }),
  },
);
const model = new ChatOpenAI({ model: 'durability', apiKey: 'none', configuration: { baseURL: modelUrl } });
const agent = createAgent({ model, tools: [post], checkpointer });

const under = new Map();
const errors = new Map();
const config = (id) => ({ configurable: { thread_id: id }, durability: 'sync', recursionLimit: 50 });
function go(id, input) {
  if (under.has(id)) return;
  const running = agent
    .invoke(input, config(id))
    .catch((error) => errors.set(id, String(error)))
    .finally(() => under.delete(id));
  under.set(id, running);
}
const stateOf = (id) => agent.graph.getState(config(id));
// Not `next`: it is empty too between the writes of a step's last task and the step's checkpoint (findings/langgraph-next-is-empty-before-the-end.sh).
const hasEnded = ({ tasks }) => tasks.length === 0;
const isWaiting = ({ tasks }) => tasks.some(({ interrupts }) => interrupts.length > 0);

serve({
  async start(id, question) {
    const state = await stateOf(id);
    if (state.values.messages === undefined) go(id, { messages: [{ role: 'user', content: question }] });
    else if (!hasEnded(state) && !isWaiting(state)) go(id, null);
  },
  async read(id) {
    if (under.has(id)) return { state: 'running' };
    if (errors.has(id)) return { state: 'failed', error: errors.get(id) };
    const state = await stateOf(id);
    if (isWaiting(state)) return { state: 'waiting', reason: 'approval' };
    const last = state.values.messages?.at(-1);
    return !hasEnded(state) || last === undefined
      ? { state: 'running' }
      : { state: 'done', answer: last.content };
  },
  async approve(id) {
    go(id, new Command({ resume: true }));
  },
});
