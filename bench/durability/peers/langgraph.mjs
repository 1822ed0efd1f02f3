// An agent of `langchain` on LangGraph's checkpoints in PostgreSQL. Docs: "Durable execution" (durability "sync" before a side effect; resume with
// null and the same thread id), "Interrupts" (interrupt in a tool, resume with Command), "Persistence" (PostgresSaver in production; a thread of messages). LangChain.js, "Cancelling
// requests": a signal of invoke, which a tool has as config.signal. It is in the process only. "Subagents": an agent in a tool; it has its parent's checkpointer ("Subgraph
// persistence", per invocation).
import { Command, interrupt } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';
import { CLERK, LOOK, POST, isDeployed } from '../adapters/offered.ts';
import { delegates, modelUrl, needsApproval, postEntry, serve } from '../adapters/serve.ts';

const checkpointer = PostgresSaver.fromConnString(process.env.POSTGRES_URL);
await checkpointer.setup();
const post = tool(
  async (input, config) => {
    if (needsApproval(input.run)) interrupt({ question: 'Post it?' });
    // The id of the call is the same when the step runs again.
    return postEntry(input, `${config.configurable?.thread_id} ${config.toolCall?.id}`, config.signal);
  },
  {
    name: POST.name,
    description: POST.description,
    schema: z.object({ run: z.string(), part: z.string() }),
  },
);
const look = tool(async () => '', { ...LOOK, schema: z.object({ run: z.string(), part: z.string() }) });
const tools = isDeployed ? [post, look] : [post];
const model = new ChatOpenAI({ model: 'durability', apiKey: 'none', configuration: { baseURL: modelUrl } });
const clerk = createAgent({ model, tools, checkpointer });
const subAgent = createAgent({ model, tools });
const askClerk = tool(
  async ({ input }) =>
    (await subAgent.invoke({ messages: [{ role: 'user', content: input }] })).messages.at(-1).content,
  { ...CLERK, schema: z.object({ input: z.string() }) },
);
const office = createAgent({ model, tools: [askClerk], checkpointer });
const of = (thread) => (delegates(thread) ? office : clerk);

const under = new Map();
const ends = new Map();
const config = (thread) => ({ configurable: { thread_id: thread }, durability: 'sync', recursionLimit: 50 });
function go(thread, input) {
  if (under.has(thread)) return;
  const abort = new AbortController();
  under.set(thread, abort);
  of(thread)
    .invoke(input, { ...config(thread), signal: abort.signal })
    .catch((error) =>
      ends.set(
        thread,
        abort.signal.aborted ? { state: 'cancelled' } : { state: 'failed', error: String(error) },
      ),
    )
    .finally(() => under.delete(thread));
}
const stateOf = (id) => of(id).graph.getState(config(id));
// Not `next`: it is empty too between the writes of a step's last task and the step's checkpoint (findings/langgraph-next-is-empty-before-the-end.sh).
const hasEnded = ({ tasks }) => tasks.length === 0;
const has = ({ values }, id) => values.messages?.some((message) => message.id === id) === true;
const isWaiting = ({ tasks }) => tasks.some(({ interrupts }) => interrupts.length > 0);

serve({
  async start(id, question, thread) {
    const state = await stateOf(thread);
    if (!has(state, id)) go(thread, { messages: [{ id, role: 'user', content: question }] });
    else if (!hasEnded(state) && !isWaiting(state)) go(thread, null);
  },
  async read(id, thread) {
    if (under.has(thread)) return { state: 'running' };
    if (ends.has(thread)) return ends.get(thread);
    const state = await stateOf(thread);
    if (!has(state, id)) return { state: 'running' };
    if (isWaiting(state)) return { state: 'waiting', reason: 'approval' };
    const last = state.values.messages?.at(-1);
    return !hasEnded(state) || last === undefined
      ? { state: 'running' }
      : { state: 'done', answer: last.content };
  },
  async approve(id) {
    go(id, new Command({ resume: true }));
  },
  async cancel(id) {
    if (under.has(id)) under.get(id).abort();
    else ends.set(id, { state: 'cancelled' });
  },
});
