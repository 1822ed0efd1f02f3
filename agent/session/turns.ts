import { jsonBytes } from '../values/digest.ts';
import { isUsage } from '../calls/failures.ts';
import type { MemoryManifest } from '../definition/manifest.ts';
import { tokensOf } from '../transcript/memory.ts';
import { type Content, contentText } from '../values/content.ts';
import { cutOutput } from '../observation/observations.ts';
import { type RunAnswer, markedAnswer } from '../observation/output.ts';
import { wholeCharacters } from '../values/values.ts';
import { type ChatMessage, addUsage, asText, noUsage } from '../values/vocabulary.ts';
import type { SessionState, Summarized } from './session.ts';

/** The conversation of a session: questions and their answers, oldest first, perhaps after a summary of older ones. */

const SUMMARY_HEAD = 'Summary of the conversation so far: ';

/**
 * The conversation after one more turn. If it exceeds `maxBytes` of JSON, the oldest turns are dropped; a single answer
 * that is too long is cut, with a marker.
 */
export function withTurn(
  messages: readonly ChatMessage[],
  input: Content,
  answer: RunAnswer,
  maxBytes: number,
): ChatMessage[] {
  const { summary, turns } = parts(messages);
  const user: ChatMessage = { role: 'user', content: input };
  const left = maxBytes - jsonBytes([...summary, user]) - ROOM;
  turns.push([user, { role: 'assistant', content: cut(asText(markedAnswer(answer)), left) }]);
  return [...summary, ...latest(turns, maxBytes - listBytes(summary) - 1).flat()];
}

/** The last turn, and as many before it as fit: each is measured once. */
function latest(turns: ChatMessage[][], maxBytes: number): ChatMessage[][] {
  let left = maxBytes;
  const first = turns.findLastIndex((turn) => (left -= listBytes(turn)) < 0);
  return turns.slice(Math.min(first + 1, turns.length - 1));
}

/** Turns that a summary has to cover: all but the last; undefined while the conversation is short enough. */
export function turnsToFold(
  messages: readonly ChatMessage[],
  memory: MemoryManifest | undefined,
): { summary: string | null; turns: ChatMessage[] } | undefined {
  if (memory?.kind !== 'summary') return undefined;
  const { summary, turns } = parts(messages);
  if (turns.length < 2 || tokensOf(turns.flat()) <= memory.tokens) return undefined;
  const [head] = summary;
  const text = head === undefined ? null : contentText(head.content).slice(SUMMARY_HEAD.length);
  return { summary: text, turns: turns.slice(0, -1).flat() };
}

/** The conversation with a summary in place of all turns but the last. */
function withSummary(messages: readonly ChatMessage[], summary: string): ChatMessage[] {
  const last = parts(messages).turns.at(-1) ?? [];
  return [{ role: 'system', content: SUMMARY_HEAD + summary }, ...last];
}

/** The session after the model has written notes on its older turns. An operator who completes the activity may leave out the usage. */
export function withNotes(
  { messages, notesUsage = noUsage }: Pick<SessionState, 'messages' | 'notesUsage'>,
  { summary, usage }: Pick<Summarized, 'summary' | 'usage'>,
): Pick<SessionState, 'messages' | 'notesUsage'> {
  const sum = isUsage(usage) ? addUsage(notesUsage, usage) : notesUsage;
  return { messages: withSummary(messages, summary), notesUsage: sum };
}

/** JSON around an answer: the message's own keys and quotes. */
const ROOM = 100;

function parts(messages: readonly ChatMessage[]): { summary: ChatMessage[]; turns: ChatMessage[][] } {
  const summary = messages.filter(({ role }) => role === 'system');
  const turns: ChatMessage[][] = [];
  for (const message of messages) {
    if (message.role === 'user') turns.push([message]);
    else if (message.role !== 'system') turns.at(-1)?.push(message);
  }
  return { summary, turns };
}

function cut(text: string, maxBytes: number): string {
  if (jsonBytes(text) <= maxBytes) return text;
  let kept = Math.min(text.length, maxBytes);
  while (kept > 0 && jsonBytes(text.slice(0, kept)) > maxBytes - ROOM) kept = Math.floor(kept * 0.9);
  const shown = wholeCharacters(text.slice(0, Math.max(0, kept)));
  return shown + cutOutput(shown.length, text.length);
}

/** Bytes of messages in a list, each with its comma. */
function listBytes(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + jsonBytes([message]) - 1, 0);
}
