import { fieldsOf } from '../../agent/values/json-object.ts';
import { finishReasonOf, isBrokenOff, isSilent, lacksCall } from '../../agent/model-reply/finish-reason.ts';
import { limits } from '../../agent/values/limits.ts';
import { withoutRepeatedCalls } from '../../agent/model-reply/repeated-calls.ts';
import { wholeCounts } from '../../agent/model-reply/token-counts.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import type { Tokens } from '../../agent/definition/price.ts';
import { boundedText, plainJson, wellFormed, wholeCharacters } from '../../agent/values/values.ts';
import type { ToolCall } from '../../agent/values/vocabulary.ts';
import { ModelError, type ModelReply } from '../../adapters/models/model.ts';

/** Characters of the texts of a reply that are not content: ids, names, the reason to finish, a warning. */
const WORD_CHARS = 1_000;
const MOST_WARNINGS = 20;
/** Strict providers refuse a call without a name when the reply is shown to them again. */
const UNNAMED = 'unnamed_tool';

/**
 * A model's return value in the form that can be recorded: the model may be the user's, written in JavaScript. A reply
 * that is too long counts as cut by the provider. Throws {@link ModelError} for a value that is not a reply.
 */
export function checkReply(adapter: string, reply: Unchecked<ModelReply> | undefined | null): ModelReply {
  const problem = problemOf(reply ?? {});
  if (problem === undefined) return whole(recordable(reply as ModelReply), adapter); // as just found
  const message = `The model "${adapter}" returned no reply: ${problem}. It has to return { text, toolCalls, finishReason, usage }.`;
  throw new ModelError('ModelInvalidResponse', message, { retryable: false });
}

/**
 * Throws for a reply that the provider broke off: half an answer is not an answer, and a call may be one of several. One that has nothing but a call
 * that could not be read is told to the model.
 */
function whole(reply: ModelReply, adapter: string): ModelReply {
  const { finishReason, text, toolCalls } = reply;
  const isKnown = isSilent(text, toolCalls.length) || !lacksCall(finishReason);
  if (!isBrokenOff(finishReason) && isKnown) return reply;
  const message = `The reply of the model "${adapter}" broke off after ${text.length} characters: its finish reason is "${finishReason}".`;
  throw new ModelError('ModelStreamCut', message, { retryable: true });
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
  if (typeof text !== 'string') return "text is not a string ('' if absent)";
  if (!Array.isArray(toolCalls) || !toolCalls.every(isToolCall))
    return 'toolCalls is not a list of { id, name, arguments }, all three texts ([] if absent)';
  if (typeof finishReason !== 'string') return "finishReason is not a string ('stop' where nothing is known)";
  if (!Array.isArray(warnings)) return 'warnings is not a list of texts (left out if absent)';
  if (typeof reasoning !== 'string') return 'reasoning is not text (left out if absent)';
  if (usage === undefined || usage === null) return undefined;
  const { promptTokens, completionTokens, totalTokens, ...parts } = fieldsOf(usage);
  if (![promptTokens, completionTokens, totalTokens].every(isNumber))
    return 'usage lacks promptTokens, completionTokens or totalTokens (left out as a whole where nothing is known)';
  const odd = PARTS.find((part) => parts[part] !== undefined && !isNumber(parts[part]));
  return odd && `usage.${odd} is not a number (left out where nothing is known)`;
}

/** Counts that are parts of the others. */
const PARTS = ['cachedTokens', 'cacheWriteTokens', 'reasoningTokens'] as const;

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isToolCall(call: Unchecked<ToolCall> | null): boolean {
  return [call?.id, call?.name, call?.arguments].every((part) => typeof part === 'string');
}

/** The known fields of a reply, every text well-formed and of a size that fits. */
function recordable({
  text,
  toolCalls,
  finishReason,
  usage,
  warnings = [],
  ...thought
}: ModelReply): ModelReply {
  const kept = cutToBytes(wellFormed(text), limits.replyBytes);
  const share = Math.floor(limits.replyBytes / Math.max(1, Math.min(toolCalls.length, limits.replyCalls)));
  const made = withoutRepeatedCalls(toolCalls);
  const calls = made.slice(0, limits.replyCalls).map((call) => recordableCall(call, share));
  const cut =
    kept.length < text.length ||
    calls.length < made.length ||
    calls.some((call, index) => call.arguments.length < (made[index]?.arguments.length ?? 0));
  const said = warnings.slice(0, MOST_WARNINGS).map((warning) => boundedText(warning, WORD_CHARS));
  if (cut) said.push(`the reply was cut: at most ${limits.replyBytes} bytes of it can be recorded`);
  const { reasoning, providerData, lost } = recordableThought(thought);
  said.push(...lost);
  return {
    text: kept,
    toolCalls: calls,
    reasoning,
    providerData,
    finishReason: cut ? 'length' : finishReasonOf(boundedText(finishReason, WORD_CHARS)),
    usage: knownCounts(usage),
    warnings: said.length === 0 ? undefined : said,
  };
}

/** undefined where a number is not a count (below 0, a fraction): a budget would not hold by it. */
function knownCounts(usage: Tokens | undefined): Tokens | undefined {
  if (usage === undefined || usage === null) return undefined;
  const { promptTokens: prompt, completionTokens: completion, totalTokens: total } = usage;
  if (![prompt, completion, total].every(isCount)) return undefined;
  const [cached, written, thoughts] = PARTS.map((part) => (isCount(usage[part]) ? usage[part] : undefined));
  return wholeCounts({ prompt, completion, total, cached, written, thoughts });
}

function isCount(value: number | undefined): boolean {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= limits.replyTokens;
}

/** Cuts reasoning that is too long, and drops provider data that is: a part of it is useless. */
function recordableThought({ reasoning, providerData }: Pick<ModelReply, 'reasoning' | 'providerData'>) {
  const data = providerData === undefined ? undefined : plainJson(providerData);
  const fits = data === undefined || jsonBytes(data) <= limits.reasoningBytes;
  return {
    reasoning: reasoning ? cutToBytes(wellFormed(reasoning), limits.reasoningBytes) : undefined,
    providerData: fits ? data : undefined,
    lost: fits ? [] : [`what the provider wants back was not kept: more than ${limits.reasoningBytes} bytes`],
  };
}

function recordableCall({ id, name, arguments: text }: ToolCall, share: number): ToolCall {
  return {
    id: boundedText(id, WORD_CHARS),
    name: boundedText(name, WORD_CHARS) || UNNAMED,
    arguments: cutToBytes(wellFormed(text), share),
  };
}

/** Counts the bytes of the text as JSON. */
function cutToBytes(text: string, bytes: number): string {
  if (jsonBytes(text) <= bytes) return text;
  let end = Math.min(text.length, bytes);
  while (end > 0 && jsonBytes(text.slice(0, end)) > bytes) end = Math.floor(end * 0.8);
  return wholeCharacters(text.slice(0, end));
}
