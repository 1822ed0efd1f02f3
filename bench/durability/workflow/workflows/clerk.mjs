// Docs of Workflow 4.8 in its package: "DurableAgent" (the tool's effect is a step), "Idempotency" (the step's id is the key), "Human in the loop" (a hook in
// a tool), "Common patterns" (a workflow that awaits another one).
import { createOpenAI } from '@ai-sdk/openai';
import { DurableAgent } from '@workflow/ai/agent';
import { createHook, getStepMetadata, getWritable } from 'workflow';
import { z } from 'zod';
import { CLERK, LOOK, POST, isDeployed } from '../../adapters/offered.ts';

const inputSchema = z.object({ run: z.string(), part: z.string() });

async function model() {
  'use step';
  return createOpenAI({ baseURL: `${process.env.DURABILITY_URL}/v1`, apiKey: 'none' }).chat('durability');
}

async function postStep(input) {
  'use step';
  const { postEntry } = await import('../../adapters/serve.ts');
  return postEntry(input, getStepMetadata().stepId);
}

async function post(input) {
  if (input.run.startsWith('approval.')) await createHook({ token: input.run });
  return postStep(input);
}

export async function clerk(content) {
  'use workflow';
  const tools = { post: { description: POST.description, inputSchema, execute: post } };
  if (isDeployed) tools.look = { description: LOOK.description, inputSchema, execute: async () => '' };
  return answer(content, tools);
}

export async function office(content) {
  'use workflow';
  const ask = {
    description: CLERK.description,
    inputSchema: z.object({ input: z.string() }),
    execute: ({ input }) => clerk(input),
  };
  return answer(content, { clerk: ask });
}

async function answer(content, tools) {
  const agent = new DurableAgent({ model, tools });
  const { messages } = await agent.stream({
    messages: [{ role: 'user', content }],
    writable: getWritable(),
    maxSteps: 20,
  });
  const last = messages.at(-1);
  return typeof last.content === 'string'
    ? last.content
    : last.content.findLast(({ type }) => type === 'text')?.text;
}
