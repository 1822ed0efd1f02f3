import { fieldsOf } from '../agent/json-object.ts';
import { limits } from '../agent/limits.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import type { Tokens } from '../agent/price.ts';
import { boundedText, plainJson, wellFormed, wholeCharacters } from '../agent/values.ts';
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
  reasoning = '',
}: Unchecked<ModelReply>): string | undefined {
  if (typeof text !== 'string') return "text is no string ('' where there is none)";
  if (!Array.isArray(toolCalls) || !toolCalls.every(isToolCall))
    return 'toolCalls is no list of { id, name, arguments }, all three texts ([] where there are none)';
  if (typeof finishReason !== 'string') return "finishReason is no string ('stop' where nothing is known)";
  if (!Array.isArray(warnings)) return 'warnings is no list of texts (left out where there are none)';
  if (typeof reasoning !== 'string') return 'reasoning is no text (left out where there is none)';
  if (usage === undefined || usage === null) return undefined;
  const { promptTokens, completionTokens, totalTokens, cachedTokens } = fieldsOf(usage);
  if (![promptTokens, completionTokens, totalTokens].every(isCount))
    return 'usage lacks promptTokens, completionTokens or totalTokens (left out as a whole where nothing is known)';
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
function recordable({
  text,
  toolCalls,
  finishReason,
  usage,
  warnings = [],
  ...thought
}: ModelReply): ModelReply {
  const kept = cutToBytes(wellFormed(text), limits.replyBytes);
  const share = Math.floor(limits.replyBytes / Math.max(1, Math.min(toolCalls.length, MOST_CALLS)));
  const calls = toolCalls.slice(0, MOST_CALLS).map((call) => recordableCall(call, share));
  const cut =
    kept.length < text.length ||
    calls.length < toolCalls.length ||
    calls.some((call, index) => call.arguments.length < (toolCalls[index]?.arguments.length ?? 0));
  const said = warnings.slice(0, MOST_WARNINGS).map((warning) => boundedText(warning, WORD_CHARS));
  if (cut) said.push(`the reply was cut: at most ${limits.replyBytes} bytes of it can be recorded`);
  const { reasoning, providerData, lost } = recordableThought(thought);
  said.push(...lost);
  return {
    text: kept,
    toolCalls: calls,
    reasoning,
    providerData,
    finishReason: cut ? 'length' : boundedText(finishReason, WORD_CHARS),
    usage: usage && countsOf(usage),
    warnings: said.length === 0 ? undefined : said,
  };
}

function countsOf({ promptTokens, completionTokens, totalTokens, cachedTokens }: Tokens): Tokens {
  return { promptTokens, completionTokens, totalTokens, cachedTokens };
}

/** A thought that is too long loses its end; of what the provider wants back a part is worth nothing. */
function recordableThought({ reasoning, providerData }: Pick<ModelReply, 'reasoning' | 'providerData'>) {
  const data = providerData === undefined ? undefined : plainJson(providerData);
  const fits = data === undefined || utf8Length(JSON.stringify(data)) <= limits.reasoningBytes;
  return {
    reasoning: reasoning ? cutToBytes(wellFormed(reasoning), limits.reasoningBytes) : undefined,
    providerData: fits ? data : undefined,
    lost: fits ? [] : [`what the provider wants back was not kept: more than ${limits.reasoningBytes} bytes`],
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
