import type { MemoryManifest } from '../definition/manifest.ts';
import { CHARS_PER_TOKEN } from '../definition/price.ts';
import { contentText } from '../values/content.ts';
import { textFileBytes } from '../prompt/text-file.ts';
import type { ChatMessage } from '../values/vocabulary.ts';

/** The part of a conversation that an agent's memory shows: whole turns, the latest ones. */
export function remembered(messages: readonly ChatMessage[], memory?: MemoryManifest): ChatMessage[] {
  switch (memory?.kind) {
    case undefined:
    case 'buffer':
    case 'summary': // the turns that are older than the kept ones have become one message
      return [...messages];
    case 'window':
      return lastTurns(messages, memory.turns, () => 1);
    case 'tokens':
      return lastTurns(messages, memory.tokens, tokensOf);
  }
}

export function tokensOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => {
    const chars = wordsOf(content).length + textFileBytes(content);
    return sum + Math.ceil(chars / CHARS_PER_TOKEN);
  }, 0);
}

function wordsOf(content: ChatMessage['content']): string {
  return Array.isArray(content)
    ? contentText(content.filter(({ type }) => type === 'text'))
    : (content ?? '');
}

/**
 * The turns that fit into `room`, counted from the last one. A turn starts with each user message; the messages before
 * the first one are kept apart and always shown.
 */
function lastTurns(
  messages: readonly ChatMessage[],
  room: number,
  sizeOf: (turn: ChatMessage[]) => number,
): ChatMessage[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  if (first < 0) return [...messages];
  const turns: ChatMessage[][] = [];
  for (const message of messages.slice(first)) {
    if (message.role === 'user') turns.push([]);
    turns.at(-1)?.push(message);
  }
  let left = room;
  const hidden = turns.findLastIndex((turn) => (left -= sizeOf(turn)) < 0);
  return [...messages.slice(0, first), ...turns.slice(hidden + 1).flat()];
}
