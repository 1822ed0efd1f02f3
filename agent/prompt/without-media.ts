import type { ModelPrompt } from '../definition/kind.ts';
import { type MediaPart, describedIn } from '../values/content.ts';

/**
 * The prompt with a description in place of each earlier image, or file: one of a message that an assistant's message follows. Those of the
 * question itself stay: a model that cannot see them must not answer it.
 */
export function withoutEarlierMedia(prompt: ModelPrompt, type: MediaPart['type']): ModelPrompt {
  if (prompt.type === 'text') return prompt;
  const end = prompt.messages.findLastIndex(({ role }) => role === 'assistant');
  const messages = prompt.messages.map((message, at) =>
    at < end && Array.isArray(message.content)
      ? { ...message, content: describedIn(message.content, (part) => part.type !== type) }
      : message,
  );
  return { ...prompt, messages };
}
