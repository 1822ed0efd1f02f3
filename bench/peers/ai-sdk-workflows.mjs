import { temporalProvider } from '@temporalio/ai-sdk/workflow';
import { proxyActivities } from '@temporalio/workflow';
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

const { look } = proxyActivities({ startToCloseTimeout: '1m', heartbeatTimeout: '10s' });
const tools = {
  look: tool({
    description: 'Looks at what is there.',
    inputSchema: z.object({ step: z.number() }),
    execute: look,
  }),
};

export async function loop(prompt, maxSteps) {
  const model = temporalProvider.languageModel('bench');
  const { text } = await generateText({ model, prompt, tools, stopWhen: stepCountIs(maxSteps) });
  return text;
}
