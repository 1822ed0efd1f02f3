/** The same with a model: the worker keeps the transcript in memory and sends the whole of it, by one client. */
import { OpenAI } from 'openai';
import { z } from 'zod/v4';
import { MODEL, TOOL, observation, pause, question, toolInput } from '../task.ts';
import { handwrittenWorker } from './handwritten-worker.ts';
import type { Thought } from './handwritten-workflows.ts';
import { serve } from './serve.ts';

type Message = OpenAI.ChatCompletionMessageParam;

const { $schema: _, ...parameters } = z.toJSONSchema(toolInput);
const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { ...TOOL, parameters } }];
const transcripts = new Map<string, Message[]>();

await serve(async (options) => {
  const client = new OpenAI({ baseURL: options.modelUrl, apiKey: 'none', maxRetries: 0 });
  const observed = observation(options.observationBytes);
  return handwrittenWorker(options, {
    async think(run, steps): Promise<Thought> {
      const messages = transcripts.get(run) ?? [{ role: 'user', content: question(steps) }];
      const { choices } = await client.chat.completions.create({ model: MODEL, messages, tools });
      const said = choices[0]?.message;
      const call = said?.tool_calls?.[0];
      if (said === undefined || call?.type !== 'function') {
        transcripts.delete(run);
        return { answer: said?.content ?? '' };
      }
      messages.push(said);
      transcripts.set(run, messages);
      return toolInput.parse(JSON.parse(call.function.arguments));
    },
    async look(run, step) {
      await pause(options.toolMs);
      transcripts.get(run)?.push({ role: 'tool', tool_call_id: `call_${step}`, content: observed });
      return observed;
    },
  });
});
