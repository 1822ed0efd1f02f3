import type { ModelPrompt } from '../definition/kind.ts';
import { contentText, imagesOf } from '../values/content.ts';

/**
 * The prompt with a description in place of each earlier image: one of a message that an assistant's message follows. Images of the
 * question itself stay: a model that cannot see them must not answer it.
 */
export function withoutEarlierImages(prompt: ModelPrompt): ModelPrompt {
  if (prompt.type === 'text') return prompt;
  const end = prompt.messages.findLastIndex(({ role }) => role === 'assistant');
  const messages = prompt.messages.map((message, at) =>
    at < end && imagesOf(message.content).length > 0
      ? { ...message, content: contentText(message.content) }
      : message,
  );
  return { ...prompt, messages };
}
