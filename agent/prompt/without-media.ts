import type { ModelPrompt } from '../definition/kind.ts';
import { type MediaPart, describedIn } from '../values/content.ts';

/**
 * The prompt with a description in place of each of these images or files that is earlier: in a message that an assistant's message
 * follows. Those of the question itself stay: a model that cannot see them must not answer it.
 */
export function withoutEarlierMedia(
  prompt: ModelPrompt,
  isRefused: (part: MediaPart) => boolean,
): ModelPrompt {
  if (prompt.type === 'text') return prompt;
  const end = prompt.messages.findLastIndex(({ role }) => role === 'assistant');
  const messages = prompt.messages.map((message, at) =>
    at < end && Array.isArray(message.content)
      ? { ...message, content: describedIn(message.content, (part) => !isRefused(part)) }
      : message,
  );
  return { ...prompt, messages };
}
