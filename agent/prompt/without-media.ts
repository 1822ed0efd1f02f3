import type { ModelPrompt } from '../definition/kind.ts';
import { type Content, type MediaPart, mediaText } from '../values/content.ts';

/**
 * The prompt with a description in place of each earlier image, or file: one of a message that an assistant's message follows. Those of the
 * question itself stay: a model that cannot see them must not answer it.
 */
export function withoutEarlierMedia(prompt: ModelPrompt, type: MediaPart['type']): ModelPrompt {
  if (prompt.type === 'text') return prompt;
  const end = prompt.messages.findLastIndex(({ role }) => role === 'assistant');
  const messages = prompt.messages.map((message, at) =>
    at < end ? { ...message, content: described(message.content, type) } : message,
  );
  return { ...prompt, messages };
}

/** A content without other parts is one text. */
function described(content: Content | null, type: MediaPart['type']): Content | null {
  if (!Array.isArray(content)) return content;
  const parts = content.map((part) =>
    part.type === type ? ({ type: 'text', text: mediaText(part) } as const) : part,
  );
  return parts.every((part) => part.type === 'text') ? parts.map(({ text }) => text).join('\n') : parts;
}
