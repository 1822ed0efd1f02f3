import { z } from '@hono/zod-openapi';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import type { Input, InputPart } from '../../client/start/read-input.ts';
import { bad } from '../http/read-body.ts';

/** A part of a message, as both APIs write it. */
const part = z.union([
  z
    .object({ type: z.enum(['text', 'input_text', 'output_text']), text: z.string() })
    .transform(({ text }): InputPart => ({ type: 'text', text })),
  z
    .object({ type: z.literal('refusal'), refusal: z.string() })
    .transform(({ refusal }): InputPart => ({ type: 'text', text: refusal })),
  z
    .object({ type: z.literal('image_url'), image_url: z.object({ url: z.string() }) })
    .transform(({ image_url: { url } }): InputPart => ({ type: 'image', image: url })),
  z
    .object({ type: z.literal('input_image'), image_url: z.string() })
    .transform(({ image_url: image }): InputPart => ({ type: 'image', image })),
]);

const content = z.union([z.string(), z.array(part)], {
  error: 'Write a text, or a list of texts and of images by their URL.',
});

export const message = z.object({
  role: z.enum(['user', 'assistant', 'system', 'developer'], {
    error: 'The agent makes its tool calls itself: send messages of the roles user, assistant and system.',
  }),
  content,
});

export type Message = z.output<typeof message>;

/** A question, and the messages before it. */
export interface ChatQuestion {
  input: Input;
  chatHistory: ChatMessage[];
}

/** Takes the last message as the question. Throws Refused where the last message is not a user's. */
export function readMessages(messages: readonly Message[]): ChatQuestion {
  const last = messages.at(-1);
  if (last?.role !== 'user') throw bad('The last message has to be the question, of the role user.');
  return { input: last.content, chatHistory: messages.slice(0, -1).flatMap(historyOf) };
}

function historyOf({ role, content: said }: Message): ChatMessage[] {
  const text = typeof said === 'string' ? said : said.map(textOf).join('\n');
  if (text.trim() === '') return [];
  return [{ role: role === 'developer' ? 'system' : role, content: text }];
}

function textOf(said: InputPart): string {
  if (said.type === 'text') return said.text;
  throw bad('An image can be in the last message only. A session keeps the images of earlier messages.');
}
