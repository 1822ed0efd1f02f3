import { fieldsOf } from '../agent/json-object.ts';
import { limits } from '../agent/limits.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import { boundedText, wellFormed, wholeCharacters } from '../agent/values.ts';
import type { ToolCall } from '../agent/vocabulary.ts';
import { ModelError, type ModelReply } from '../models/model.ts';

/** Characters of the texts of a reply that are no content: ids, names, the reason to finish, a warning. */
const WORD_CHARS = 1_000;
/** Tool calls in one reply, and warnings. */
const MOST_CALLS = 256;
const MOST_WARNINGS = 20;

/**
 * What a model returned, as it can be recorded: it may be a user's own, and in JavaScript. A reply that is too long counts
 * as cut by the provider. Throws {@link ModelError} for what is no reply.
 */
export function checkReply(adapter: string, reply: Unchecked<ModelReply> | undefined | null): ModelReply {
  const problem = problemOf(reply ?? {});
  if (problem === undefined) return recordable(reply as ModelReply); // as just found
  const message = `The model "${adapter}" returned no reply: ${problem}. It has to return { text, toolCalls, finishReason, usage }.`;
  throw new ModelError('ModelInvalidResponse', message, { retryable: false });
}

type Unchecked<T> = { [Field in keyof T]?: unknown };

function problemOf({
  text,
  toolCalls,
  finishReason,
  usage,
  warnings = [],
}: Unchecked<ModelReply>): string | undefined {
  if (typeof text !== 'string') return "text is no string ('' where there is none)";
  if (!Array.isArray(toolCalls) || !toolCalls.every(isToolCall))
    return 'toolCalls is no list of { id, name, arguments }, all three texts ([] where there are none)';
  if (typeof finishReason !== 'string') return "finishReason is no string ('stop' where nothing is known)";
  if (!Array.isArray(warnings)) return 'warnings is no list of texts (left out where there are none)';
  const { promptTokens, completionTokens, totalTokens, cachedTokens } = fieldsOf(usage);
  if (![promptTokens, completionTokens, totalTokens].every(isCount))
    return 'usage lacks promptTokens, completionTokens or totalTokens (0 where nothing is known)';
  return cachedTokens === undefined || isCount(cachedTokens)
    ? undefined
    : 'usage.cachedTokens is no number (left out where nothing is known)';
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isToolCall(call: Unchecked<ToolCall> | null): boolean {
  return [call?.id, call?.name, call?.arguments].every((part) => typeof part === 'string');
}

/** Only the fields of a reply, every text well-formed and of a size that fits. */
function recordable({ text, toolCalls, finishReason, usage, warnings = [] }: ModelReply): ModelReply {
  const kept = cutToBytes(wellFormed(text), limits.replyBytes);
  const share = Math.floor(limits.replyBytes / Math.max(1, Math.min(toolCalls.length, MOST_CALLS)));
  const calls = toolCalls.slice(0, MOST_CALLS).map((call) => recordableCall(call, share));
  const cut =
    kept.length < text.length ||
    calls.length < toolCalls.length ||
    calls.some((call, index) => call.arguments.length < (toolCalls[index]?.arguments.length ?? 0));
  const said = warnings.slice(0, MOST_WARNINGS).map((warning) => boundedText(warning, WORD_CHARS));
  if (cut) said.push(`the reply was cut: at most ${limits.replyBytes} bytes of it can be recorded`);
  const { promptTokens, completionTokens, totalTokens, cachedTokens } = usage;
  return {
    text: kept,
    toolCalls: calls,
    finishReason: cut ? 'length' : boundedText(finishReason, WORD_CHARS),
    usage: { promptTokens, completionTokens, totalTokens, cachedTokens },
    warnings: said.length === 0 ? undefined : said,
  };
}

function recordableCall({ id, name, arguments: text }: ToolCall, share: number): ToolCall {
  return {
    id: boundedText(id, WORD_CHARS),
    name: boundedText(name, WORD_CHARS),
    arguments: cutToBytes(wellFormed(text), share),
  };
}

/** Bytes are those of the text as JSON. */
function cutToBytes(text: string, bytes: number): string {
  if (utf8Length(JSON.stringify(text)) <= bytes) return text;
  let end = Math.min(text.length, bytes);
  while (end > 0 && utf8Length(JSON.stringify(text.slice(0, end))) > bytes) end = Math.floor(end * 0.8);
  return wholeCharacters(text.slice(0, end));
}
