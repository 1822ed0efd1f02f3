// Restate, as its docs say for agents (docs.restate.dev: "AI agents, Vercel AI SDK": durableCalls around the model, each tool's effect in ctx.run;
// "Human-in-the-loop": a durable promise; "Workflows": a workflow of an id runs once, submit and attach by its id; "Services, configuration":
// inactivity and retry policy as they are).
import * as restate from '@restatedev/restate-sdk';
import * as clients from '@restatedev/restate-sdk-clients';
import { durableCalls } from '@restatedev/vercel-ai-middleware';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, stepCountIs, tool, wrapLanguageModel } from 'ai';
import { modelUrl, needsApproval, postEntry, serve } from '../adapters/serve.ts';

const { RESTATE_INGRESS, RESTATE_ADMIN, RESTATE_SERVICE_PORT } = process.env;
const openai = createOpenAI({ baseURL: modelUrl, apiKey: 'none' });
const inputSchema = jsonSchema({
  type: 'object',
  properties: { run: { type: 'string' }, part: { type: 'string' } },
  required: ['run', 'part'],
  additionalProperties: false,
});

const clerk = restate.workflow({
  name: 'clerk',
  handlers: {
    async run(ctx, prompt) {
      const model = wrapLanguageModel({
        model: openai.chat('durability'),
        middleware: durableCalls(ctx, { maxRetryAttempts: 3 }),
      });
      const { text } = await generateText({
        model,
        prompt,
        tools: {
          post: tool({
            description: 'Posts an entry to the ledger.',
            inputSchema,
            async execute(input, { toolCallId }) {
              if (needsApproval(input.run)) {
                ctx.set('waiting', true);
                await ctx.promise('approval');
                ctx.set('waiting', false);
              }
              return ctx.run(`post ${input.part}`, () => postEntry(input, `${ctx.key} ${toolCallId}`), {
                maxRetryAttempts: 3,
              });
            },
          }),
        },
        stopWhen: [stepCountIs(20)],
        providerOptions: { openai: { parallelToolCalls: false } },
      });
      return text;
    },
    approve: (ctx) => ctx.promise('approval').resolve(true),
    waiting: async (ctx) => (await ctx.get('waiting')) === true,
  },
});
await restate.serve({ services: [clerk], port: Number(RESTATE_SERVICE_PORT) });
await fetch(`${RESTATE_ADMIN}/deployments`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ uri: `http://127.0.0.1:${RESTATE_SERVICE_PORT}`, force: true }),
}).then(async (response) => {
  if (!response.ok) throw new Error(await response.text());
});
const ingress = clients.connect({ url: RESTATE_INGRESS });
const of = (id) => ingress.workflowClient(clerk, id);

serve({
  start: (id, question) => of(id).workflowSubmit(question),
  async read(id) {
    const output = await of(id).workflowOutput();
    if (output.ready) return { state: 'done', answer: output.result };
    return (await of(id).waiting()) ? { state: 'waiting', reason: 'approval' } : { state: 'running' };
  },
  approve: (id) => of(id).approve(),
});
