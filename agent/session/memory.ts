import type { MemoryManifest } from '../manifest.ts';
import type { ChatMessage } from '../vocabulary.ts';

/** What is taken as one token where nobody counts them. */
const CHARS_PER_TOKEN = 4;

/** The part of a conversation that an agent's memory shows: whole turns, the latest ones. */
export function remembered(messages: readonly ChatMessage[], memory?: MemoryManifest): ChatMessage[] {
  switch (memory?.kind) {
    case undefined:
    case 'buffer':
    case 'summary': // what is older than the turns kept has become a message of its own
      return [...messages];
    case 'window':
      return lastTurns(messages, (turns) => turns.length <= memory.turns);
    case 'tokens':
      return lastTurns(messages, (turns) => tokensOf(turns.flat()) <= memory.tokens);
  }
}

export function tokensOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + Math.ceil((content ?? '').length / CHARS_PER_TOKEN), 0);
}

/** A turn begins with each user message; what stands before the first one is kept apart and always shown. */
function lastTurns(
  messages: readonly ChatMessage[],
  fits: (turns: ChatMessage[][]) => boolean,
): ChatMessage[] {
  const first = messages.findIndex(({ role }) => role === 'user');
  if (first < 0) return [...messages];
  const turns: ChatMessage[][] = [];
  for (const message of messages.slice(first)) {
    if (message.role === 'user') turns.push([]);
    turns.at(-1)?.push(message);
  }
  while (turns.length > 0 && !fits(turns)) turns.shift();
  return [...messages.slice(0, first), ...turns.flat()];
}
