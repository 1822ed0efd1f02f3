// Restate, as its docs say for agents (docs.restate.dev: "AI agents, Vercel AI SDK": durableCalls around the model, each tool's effect in ctx.run;
// "Human-in-the-loop": a durable promise; "Workflows": a workflow of an id runs once, submit and attach by its id; "Services, configuration":
// inactivity and retry policy as they are; "Multi-agent": an agent calls the workflow of another one in a tool; "Services, state": a virtual object
// of a conversation, with its messages as state; "Managing invocations": cancel by the admin API; attemptCompletedSignal for the effect in hand; "Error handling": hasTerminalToolError and rethrowTerminalToolError).
import * as restate from '@restatedev/restate-sdk';
import * as clients from '@restatedev/restate-sdk-clients';
import {
  durableCalls,
  hasTerminalToolError,
  rethrowTerminalToolError,
} from '@restatedev/vercel-ai-middleware';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { CLERK, LOOK, POST, isDeployed } from '../adapters/offered.ts';
import { delegates, isConversation, modelUrl, needsApproval, postEntry, serve } from '../adapters/serve.ts';

const { RESTATE_INGRESS, RESTATE_ADMIN, RESTATE_SERVICE_PORT } = process.env;
const openai = createOpenAI({ baseURL: modelUrl, apiKey: 'none' });
const offered = ({ description, parameters }, execute) =>
  tool({ description, inputSchema: jsonSchema(parameters), execute });

/** Asks the model until it answers, and returns the answer and the messages that came to be. */
async function work(ctx, messages, tools = clerkTools(ctx)) {
  const model = wrapLanguageModel({
    model: openai.chat('durability'),
    middleware: durableCalls(ctx, { maxRetryAttempts: 3 }),
  });
  const { text, response, steps } = await generateText({
    model,
    messages,
    tools,
    stopWhen: [stepCountIs(20), hasTerminalToolError],
    providerOptions: { openai: { parallelToolCalls: false } },
  });
  for (const step of steps) rethrowTerminalToolError(step); // a cancel too is an error of the tool in hand
  return { text, messages: response.messages };
}

function clerkTools(ctx) {
  const post = offered(POST, async (input, { toolCallId }) => {
    if (needsApproval(input.run)) {
      ctx.set('waiting', true);
      await ctx.promise('approval');
      ctx.set('waiting', false);
    }
    const signal = ctx.request().attemptCompletedSignal;
    return ctx.run(`post ${input.part}`, () => postEntry(input, `${ctx.key} ${toolCallId}`, signal), {
      maxRetryAttempts: 3,
    });
  });
  return isDeployed ? { post, look: offered(LOOK, async () => '') } : { post };
}

/** The tool of an agent that asks another one, a workflow of its own. */
const officeTools = (ctx) => ({
  clerk: offered(CLERK, ({ input }, { toolCallId }) =>
    ctx.workflowClient(clerk, `${ctx.key}/${toolCallId}`).run(input),
  ),
});

const talk = restate.object({
  name: 'talk',
  handlers: {
    async say(ctx, { id, question }) {
      const messages = [...((await ctx.get('messages')) ?? []), { role: 'user', content: question }];
      const replied = await work(ctx, messages);
      ctx.set('messages', [...messages, ...replied.messages]);
      ctx.set(id, replied.text);
    },
    answer: restate.handlers.object.shared((ctx, id) => ctx.get(id)),
  },
});

const clerk = restate.workflow({
  name: 'clerk',
  handlers: {
    async run(ctx, content) {
      const tools = delegates(ctx.key) && !ctx.key.includes('/') ? officeTools(ctx) : undefined;
      return (await work(ctx, [{ role: 'user', content }], tools)).text;
    },
    approve: (ctx) => ctx.promise('approval').resolve(true),
    waiting: async (ctx) => (await ctx.get('waiting')) === true,
  },
});
await restate.serve({ services: [clerk, talk], port: Number(RESTATE_SERVICE_PORT) });
await fetch(`${RESTATE_ADMIN}/deployments`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ uri: `http://127.0.0.1:${RESTATE_SERVICE_PORT}`, force: true }),
}).then(async (response) => {
  if (!response.ok) throw new Error(await response.text());
});
const ingress = clients.connect({ url: RESTATE_INGRESS });
const of = (id) => ingress.workflowClient(clerk, id);
const conversation = (thread) => ingress.objectClient(talk, thread);

serve({
  start: (id, question, thread) =>
    isConversation(thread)
      ? ingress
          .objectSendClient(talk, thread)
          .say({ id, question }, clients.rpc.sendOpts({ idempotencyKey: id }))
      : of(id).workflowSubmit(question),
  async read(id, thread) {
    if (isConversation(thread)) {
      const text = await conversation(thread).answer(id);
      return text === null ? { state: 'running' } : { state: 'done', answer: text };
    }
    const output = await of(id)
      .workflowOutput()
      .catch((error) => {
        if (error instanceof clients.HttpCallError && error.status === 409) return 'cancelled';
        throw error;
      });
    if (output === 'cancelled') return { state: 'cancelled' };
    if (output.ready) return { state: 'done', answer: output.result };
    return (await of(id).waiting()) ? { state: 'waiting', reason: 'approval' } : { state: 'running' };
  },
  approve: (id) => of(id).approve(),
  async cancel(id) {
    const { invocationId } = await of(id).workflowSubmit(''); // that of the run which is there
    const answer = await fetch(`${RESTATE_ADMIN}/invocations/${invocationId}/cancel`, { method: 'PATCH' });
    if (!answer.ok) throw new Error(await answer.text());
  },
});
