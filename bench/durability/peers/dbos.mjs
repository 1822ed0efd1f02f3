// A loop by hand of DBOS steps, as its docs say for agents ("Add durable execution to your agent": a workflow, each model call and each tool call
// a step; "Workflow tutorial": a workflow id makes the start idempotent, recovery at launch; "Communicating": recv for a person, and for each message of a
// conversation, whose answers are events; "Workflow management": cancelWorkflow, which begins no further step; a workflow that calls another one, its child).
import { DBOS } from '@dbos-inc/dbos-sdk';
import OpenAI from 'openai';
import { CLERK, LOOK, POST, isDeployed } from '../adapters/offered.ts';
import { delegates, isConversation, modelUrl, needsApproval, postEntry, serve } from '../adapters/serve.ts';

const openai = new OpenAI({ baseURL: modelUrl, apiKey: 'none' });
const offered = (...tools) => tools.map((tool) => ({ type: 'function', function: tool }));
const tools = isDeployed ? offered(POST, LOOK) : offered(POST);
const retries = { retriesAllowed: true, maxAttempts: 3 };

const clerk = (question) => answer([{ role: 'user', content: question }], tools);
const office = (question) => answer([{ role: 'user', content: question }], offered(CLERK));

async function talk() {
  const messages = [];
  for (;;) {
    const message = await DBOS.recv('message', 3600);
    if (message === null) return;
    messages.push({ role: 'user', content: message.question });
    await DBOS.setEvent(message.id, await answer(messages, tools));
  }
}

/** Adds the replies to the messages. */
async function answer(messages, tools) {
  for (;;) {
    const message = await DBOS.runStep(
      async () =>
        (await openai.chat.completions.create({ model: 'durability', messages, tools })).choices[0].message,
      { name: 'model', ...retries },
    );
    messages.push(message);
    if (!message.tool_calls?.length) return message.content;
    const id = DBOS.workflowID;
    const inputs = message.tool_calls.map((call) => JSON.parse(call.function.arguments));
    if (needsApproval(inputs[0].run ?? '')) {
      await DBOS.setEvent('waiting', true);
      await DBOS.recv('approval', 3600);
      await DBOS.setEvent('waiting', false);
    }
    const outputs = await Promise.all(
      message.tool_calls.map((call, place) =>
        call.function.name === CLERK.name
          ? workflow(inputs[place].input)
          : DBOS.runStep(() => postEntry(inputs[place], `${id} ${call.id}`), {
              name: `post ${place}`,
              ...retries,
            }),
      ),
    );
    outputs.forEach((content, place) =>
      messages.push({ role: 'tool', tool_call_id: message.tool_calls[place].id, content }),
    );
  }
}
const workflow = DBOS.registerWorkflow(clerk, { name: 'clerk' });
const parent = DBOS.registerWorkflow(office, { name: 'office' });
const conversation = DBOS.registerWorkflow(talk, { name: 'talk' });
DBOS.setConfig({
  name: 'durability',
  systemDatabaseUrl: process.env.POSTGRES_URL,
  logLevel: 'error',
  runAdminServer: false,
});
await DBOS.launch();

serve({
  async start(id, question, thread) {
    const started = delegates(id) ? parent : workflow;
    if (!isConversation(thread)) return DBOS.startWorkflow(started, { workflowID: id })(question);
    await DBOS.startWorkflow(conversation, { workflowID: thread })();
    return DBOS.send(thread, { id, question }, 'message', id);
  },
  async read(id, thread) {
    if (isConversation(thread)) {
      const answered = await DBOS.getEvent(thread, id, 0);
      return answered === null ? { state: 'running' } : { state: 'done', answer: answered };
    }
    const status = await DBOS.getWorkflowStatus(id);
    if (status?.status === 'SUCCESS') return { state: 'done', answer: status.output };
    if (status?.status === 'CANCELLED') return { state: 'cancelled' };
    if (status?.status === 'ERROR') return { state: 'failed', error: String(status.error) };
    const isWaiting = status && (await DBOS.getEvent(id, 'waiting', 0));
    return isWaiting ? { state: 'waiting', reason: 'approval' } : { state: 'running' };
  },
  approve: (id) => DBOS.send(id, true, 'approval', 'once'),
  cancel: (id) => DBOS.cancelWorkflow(id),
});
