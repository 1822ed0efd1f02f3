import { z } from 'zod/v4';
import { finishReasonOf, isSilent } from '../../../agent/model-reply/finish-reason.ts';
import { limits } from '../../../agent/values/limits.ts';
import { isObject } from '../../../agent/values/json-object.ts';
import { withoutRepeatedCalls } from '../../../agent/model-reply/repeated-calls.ts';
import { wholeCounts } from '../../../agent/model-reply/token-counts.ts';
import type { Json, ToolCall } from '../../../agent/values/vocabulary.ts';
import { distinctIds } from '../call-ids.ts';
import type { ModelReply } from '../model.ts';
import {
  ContentPart,
  Metadata,
  type UsagePart,
  type VercelLanguageModel,
  type WrittenPart,
} from './language-model.ts';

/** A reply as it builds up: its parts in their order, because providers want them back so. */
export interface ReplyParts {
  /** The provider's id of the reply. */
  id?: string | undefined;
  parts: ReplyPart[];
  finishReason: string | undefined;
  usage: ModelReply['usage'];
  /** Characters of all that is to be recorded, and a few for each part. */
  length: number;
  /** Characters of the thoughts that are kept. */
  thoughtLength: number;
  calls: number;
  /** The blocks that have started, by type and id. */
  open: Map<string, TextPart>;
}

interface TextPart {
  type: 'text' | 'reasoning';
  text: string;
  metadata: Metadata | undefined;
}

type ReplyPart = TextPart | { type: 'tool-call'; call: ToolCall; metadata: Metadata | undefined };

/**
 * Data that goes back with a reply that calls tools; recorded. The texts are in the reply and in its reasoning: for
 * each part the data has only its length, and the provider's metadata (Anthropic's signature of a thought, Google's of
 * a call).
 */
const ProviderData = z.object({
  vercel: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.enum(['text', 'reasoning']), length: z.number(), metadata: Metadata.optional() }),
      z.object({ type: z.literal('tool-call'), id: z.string(), metadata: Metadata.optional() }),
    ]),
  ),
});

export type RecordedPart = z.output<typeof ProviderData>['vercel'][number];

export function emptyParts(): ReplyParts {
  const counts = { length: 0, thoughtLength: 0, calls: 0 };
  return { parts: [], finishReason: undefined, usage: undefined, open: new Map(), ...counts };
}

/** A part that comes whole. Kinds that mean nothing here are left out, and so are calls that the provider makes itself. */
export function addWhole(reply: ReplyParts, value: unknown): void {
  const { data: part } = ContentPart.safeParse(value);
  if (part === undefined) return;
  const metadata = part.providerMetadata ?? undefined;
  if (part.type !== 'tool-call') return openPart(reply, part.type, '', metadata, part.text);
  if (part.providerExecuted === true) return;
  const { toolCallId: id, toolName: name, input } = part;
  const call = { id, name, arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}) };
  reply.length += JSON.stringify(call).length;
  reply.calls++;
  reply.parts.push({ type: 'tool-call', call, metadata });
}

/** A piece of a block of text or reasoning; the first of its id starts it. */
export function addPiece(
  reply: ReplyParts,
  type: 'text' | 'reasoning',
  id: string,
  metadata: Metadata | undefined,
  text = '',
): void {
  const open = reply.open.get(`${type} ${id}`);
  if (open === undefined) return openPart(reply, type, id, metadata, text);
  addText(reply, open, text);
  open.metadata = merged(open.metadata, metadata);
}

/** `step` is the model call. */
export function asReply(reply: ReplyParts, step: string, returnsReasoning: boolean): ModelReply {
  const { id, finishReason, usage } = reply;
  const parts = withDistinctIds(withoutRepeats(reply.parts), step);
  const toolCalls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.call] : []));
  const reasoning = textOf(parts, 'reasoning');
  return {
    id,
    text: textOf(parts, 'text'),
    toolCalls,
    reasoning: reasoning === '' ? undefined : reasoning,
    providerData: toolCalls.length === 0 ? undefined : providerDataOf(parts, reasoning, returnsReasoning),
    finishReason: reasonOf(reply, finishReason ?? 'unknown'),
    usage,
  };
}

/** undefined where nothing was counted. Up to 'v2', Anthropic and Bedrock count cached tokens beside the input. */
export function countsOf(
  usage: UsagePart | null | undefined,
  metadata: WrittenPart,
  { specificationVersion, provider }: VercelLanguageModel,
): ModelReply['usage'] {
  if (usage === undefined || usage === null) return undefined;
  const input = asCounts(usage.inputTokens);
  const output = asCounts(usage.outputTokens);
  const { anthropic, bedrock } = metadata ?? {};
  const countsBeside =
    /anthropic|bedrock/iu.test(provider) || anthropic !== undefined || bedrock !== undefined;
  return wholeCounts({
    prompt: input.total ?? 0,
    completion: output.total ?? 0,
    total: usage.totalTokens ?? 0,
    cached: usage.cachedInputTokens ?? input.cacheRead ?? 0,
    written:
      input.cacheWrite ?? anthropic?.cacheCreationInputTokens ?? bedrock?.usage.cacheWriteInputTokens ?? 0,
    thoughts: usage.reasoningTokens ?? output.reasoning ?? 0,
    cacheBeside: specificationVersion === 'v2' && countsBeside,
  });
}

/** The parts of a recorded reply; none for another adapter's reply, or without parts. */
export function recordedParts(providerData: Json | undefined): RecordedPart[] | undefined {
  return ProviderData.safeParse(providerData).data?.vercel;
}

function openPart(
  reply: ReplyParts,
  type: 'text' | 'reasoning',
  id: string,
  metadata: Metadata | undefined,
  text: string,
): void {
  const part: TextPart = { type, text: '', metadata };
  reply.parts.push(part);
  reply.open.set(`${type} ${id}`, part);
  reply.length += PART_FRAME;
  addText(reply, part, text);
}

const PART_FRAME = '{"type":"reasoning","length":0},'.length;

/** ReasoningDraft that are too long to be recorded are kept no further than that shows. */
function addText(reply: ReplyParts, part: TextPart, text: string): void {
  if (part.type === 'text') {
    part.text += text;
    reply.length += text.length;
    return;
  }
  const kept = text.slice(0, limits.reasoningBytes + 1 - reply.thoughtLength);
  part.text += kept;
  reply.thoughtLength += kept.length;
}

/**
 * The AI SDK says `tool-calls` and `content-filter`. @ai-sdk/google says `error` where the model's call could not be read
 * (MALFORMED_FUNCTION_CALL): without a word in it, the reply is the model's and no failure of the provider.
 */
function reasonOf({ parts, calls }: ReplyParts, said: string): string {
  return said === 'error' && isSilent(textOf(parts, 'text'), calls)
    ? 'other'
    : finishReasonOf(said.replace('-', '_'));
}

function withoutRepeats(parts: readonly ReplyPart[]): ReplyPart[] {
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.call] : []));
  const kept = new Set(withoutRepeatedCalls(calls));
  return parts.filter((part) => part.type !== 'tool-call' || kept.has(part.call));
}

/** Providers and their packages may give two calls one id, or none. */
function withDistinctIds(parts: readonly ReplyPart[], step: string): ReplyPart[] {
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.call.id] : []));
  const ids = distinctIds(calls, step).values();
  return parts.map((part) =>
    part.type === 'tool-call'
      ? { ...part, call: { ...part.call, id: ids.next().value ?? part.call.id } }
      : part,
  );
}

function textOf(parts: readonly ReplyPart[], type: 'text' | 'reasoning'): string {
  return parts.map((part) => (part.type === type ? part.text : '')).join('');
}

/** undefined if every part is plain. Reasoning that is too long to be recorded whole is not sent back: it is signed. */
function providerDataOf(
  parts: readonly ReplyPart[],
  reasoning: string,
  returnsReasoning: boolean,
): Json | undefined {
  const isWhole = JSON.stringify(reasoning).length <= limits.reasoningBytes;
  const kept = parts.filter(({ type }) => type !== 'reasoning' || (returnsReasoning && isWhole));
  if (kept.every(({ type, metadata }) => type !== 'reasoning' && metadata === undefined)) return undefined;
  const vercel = kept.map((part): Json => {
    const said = part.metadata === undefined ? {} : { metadata: part.metadata };
    if (part.type === 'tool-call') return { type: part.type, id: part.call.id, ...said };
    return { type: part.type, length: part.text.length, ...said };
  });
  return { vercel };
}

/** Data by provider; a later piece adds to an earlier one. */
function merged(before: Metadata | undefined, after: Metadata | undefined): Metadata | undefined {
  if (before === undefined || after === undefined) return after ?? before;
  const both = Object.entries(after).map(([provider, said]) => {
    const earlier = before[provider];
    return [provider, isObject(earlier) && isObject(said) ? { ...earlier, ...said } : said] as const;
  });
  return { ...before, ...Object.fromEntries(both) };
}

type Counts = { [Part in 'total' | 'cacheRead' | 'cacheWrite' | 'reasoning']?: number | null | undefined };

function asCounts(count: number | Counts | null | undefined): Counts {
  return typeof count === 'number' ? { total: count } : (count ?? {});
}
