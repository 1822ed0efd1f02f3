import { z } from 'zod/v4';
import { limits } from '../../agent/limits.ts';
import type { Json, ToolCall } from '../../agent/vocabulary.ts';
import type { ModelReply } from '../model.ts';
import { ContentPart, Metadata, type UsagePart } from './language-model.ts';

/** A reply as it builds up: its parts in their order, because providers want them back so. */
export interface ReplyParts {
  parts: ReplyPart[];
  finishReason: string | undefined;
  usage: ModelReply['usage'];
  /** Characters of all that is to be recorded. */
  length: number;
}

type ReplyPart =
  | { type: 'text' | 'reasoning'; id: string; text: string; metadata: Metadata | undefined }
  | { type: 'tool-call'; call: ToolCall; metadata: Metadata | undefined };

/**
 * What goes back with a reply that calls tools; recorded. The texts are in the reply and in its reasoning: of each part only
 * its length is told, and what its provider said of it (Anthropic's signature of a thought, Google's of a call).
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
  return { parts: [], finishReason: undefined, usage: undefined, length: 0 };
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
  reply.parts.push({ type: 'tool-call', call, metadata });
}

/** A piece of a block of text or reasoning; the first of its id begins it. */
export function addPiece(
  reply: ReplyParts,
  type: 'text' | 'reasoning',
  id: string,
  metadata: Metadata | undefined,
  text = '',
): void {
  const open = reply.parts.findLast((part) => part.type === type && part.id === id);
  if (open === undefined || open.type === 'tool-call') return openPart(reply, type, id, metadata, text);
  open.text += text;
  open.metadata = merged(open.metadata, metadata);
  if (type === 'text') reply.length += text.length;
}

export function asReply(reply: ReplyParts, returnsThoughts: boolean): ModelReply {
  const { parts, finishReason, usage } = reply;
  const toolCalls = parts.flatMap((part) => (part.type === 'tool-call' ? [part.call] : []));
  const reasoning = textOf(parts, 'reasoning');
  return {
    text: textOf(parts, 'text'),
    toolCalls,
    reasoning: reasoning === '' ? undefined : reasoning,
    providerData: toolCalls.length === 0 ? undefined : providerDataOf(parts, reasoning, returnsThoughts),
    finishReason: finishReason === 'tool-calls' ? 'tool_calls' : (finishReason ?? 'unknown'),
    usage,
  };
}

/** undefined where nothing was counted. */
export function countsOf(usage: UsagePart | null | undefined): ModelReply['usage'] {
  if (usage === undefined || usage === null) return undefined;
  const input = asCounts(usage.inputTokens);
  const promptTokens = input.total ?? 0;
  const completionTokens = asCounts(usage.outputTokens).total ?? 0;
  const totalTokens = usage.totalTokens ?? promptTokens + completionTokens;
  const cachedTokens = usage.cachedInputTokens ?? input.cacheRead ?? 0;
  if (totalTokens === 0) return undefined;
  return { promptTokens, completionTokens, totalTokens, cachedTokens: cachedTokens || undefined };
}

/** The parts of a recorded reply; none of another adapter's, or of one whose parts said nothing. */
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
  reply.parts.push({ type, id, text, metadata });
  if (type === 'text') reply.length += text.length;
}

function textOf(parts: readonly ReplyPart[], type: 'text' | 'reasoning'): string {
  return parts.map((part) => (part.type === type ? part.text : '')).join('');
}

/** Nothing where every part is plain. A thought that is too long to be recorded whole goes back nowhere: it is signed. */
function providerDataOf(
  parts: readonly ReplyPart[],
  reasoning: string,
  returnsThoughts: boolean,
): Json | undefined {
  const isWhole = JSON.stringify(reasoning).length <= limits.reasoningBytes;
  const kept = parts.filter(({ type }) => type !== 'reasoning' || (returnsThoughts && isWhole));
  if (kept.every(({ type, metadata }) => type !== 'reasoning' && metadata === undefined)) return undefined;
  const vercel = kept.map((part): Json => {
    const said = part.metadata === undefined ? {} : { metadata: part.metadata };
    if (part.type === 'tool-call') return { type: part.type, id: part.call.id, ...said };
    return { type: part.type, length: part.text.length, ...said };
  });
  return { vercel };
}

/** By provider; a later piece adds to what an earlier one said. */
function merged(before: Metadata | undefined, after: Metadata | undefined): Metadata | undefined {
  if (before === undefined || after === undefined) return after ?? before;
  const both = Object.entries(after).map(([provider, said]) => {
    const earlier = before[provider];
    return [provider, isFields(earlier) && isFields(said) ? { ...earlier, ...said } : said] as const;
  });
  return { ...before, ...Object.fromEntries(both) };
}

function isFields(value: Json | undefined): value is { [field: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Counts = { total?: number | null | undefined; cacheRead?: number | null | undefined };

function asCounts(count: number | Counts | null | undefined): Counts {
  return typeof count === 'number' ? { total: count } : (count ?? {});
}
