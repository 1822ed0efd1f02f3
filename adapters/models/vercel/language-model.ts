import { z } from 'zod/v4';
import { isAsyncIterable } from '../../../agent/values/values.ts';
import { limits } from '../../../agent/values/limits.ts';

/**
 * A language model of the AI SDK ('ai', '@ai-sdk/…'), by its shape: versions 'v2' (AI SDK 5), 'v3' (6) and 'v4' (7) of its
 * specification, which differ in how they count tokens and name an image's bytes. `never` takes any options type.
 */
export interface VercelLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

export const knownVersions = ['v2', 'v3', 'v4'];

/** Data by provider: `{ anthropic: { signature: '…' } }`. It comes with a part of a reply and goes back with it. */
export const Metadata = z.record(z.string(), z.json());
export type Metadata = z.output<typeof Metadata>;

const metadata = Metadata.nullish().catch(undefined);

/** A part of a reply, or a whole part in a stream. Other kinds of parts (sources, files) are ignored. */
export const ContentPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), providerMetadata: metadata }),
  z.object({ type: z.literal('reasoning'), text: z.string(), providerMetadata: metadata }),
  z.object({
    type: z.literal('tool-call'),
    toolCallId: z.string(),
    toolName: z.string(),
    input: z.unknown().optional(),
    /** True for one of the provider's own tools, which has already run. */
    providerExecuted: z.boolean().nullish(),
    providerMetadata: metadata,
  }),
]);

/** The words of 'v2', which says `unknown` where a provider gave no reason. Later versions say `other` or `error` then, without a raw word. */
const FinishReason = z.union([
  z.string(),
  z
    .object({ unified: z.string(), raw: z.string().nullish().catch(undefined) })
    .transform(({ unified, raw }) => {
      if (!['error', 'other', 'unknown'].includes(unified)) return unified;
      return raw || (unified === 'error' ? 'interrupted' : 'unknown');
    }),
]);

const count = z.int().min(0).max(limits.replyTokens).nullish();
const cached = count.catch(undefined);

/** 'v2' has plain numbers, later versions give the parts of each. */
const Usage = z.object({
  inputTokens: z.union([count, z.object({ total: count, cacheRead: cached, cacheWrite: cached })]),
  outputTokens: z.union([count, z.object({ total: count, reasoning: cached })]),
  totalTokens: count,
  cachedInputTokens: cached,
  reasoningTokens: cached,
});

/** Tokens that were written to the cache, which 'v2' gives only in the provider's own data. */
const Written = z
  .object({
    anthropic: z.object({ cacheCreationInputTokens: cached }).optional().catch(undefined),
    bedrock: z
      .object({ usage: z.object({ cacheWriteInputTokens: cached }) })
      .optional()
      .catch(undefined),
  })
  .nullish()
  .catch(undefined);

const replyId = z.string().nullish().catch(undefined);

export const GenerateResult = z.object({
  content: z.array(z.unknown()),
  finishReason: FinishReason,
  usage: Usage.nullish().catch(undefined),
  providerMetadata: Written,
  warnings: z.array(z.unknown()).nullish(),
  response: z.object({ id: replyId }).nullish().catch(undefined),
});

export const StreamResult = z.object({ stream: z.custom<AsyncIterable<unknown>>(isAsyncIterable) });

/** Pieces of a stream that are read. Text and reasoning come in blocks, each piece with its block's id. */
export const StreamPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('stream-start'), warnings: z.array(z.unknown()).nullish() }),
  z.object({
    type: z.enum(['text-start', 'text-end', 'reasoning-start', 'reasoning-end']),
    id: z.string(),
    providerMetadata: metadata,
  }),
  z.object({
    type: z.enum(['text-delta', 'reasoning-delta']),
    id: z.string(),
    delta: z.string(),
    providerMetadata: metadata,
  }),
  z.object({
    type: z.literal('finish'),
    finishReason: FinishReason,
    usage: Usage.nullish().catch(undefined),
    providerMetadata: Written,
  }),
  z.object({ type: z.literal('response-metadata'), id: replyId }),
  z.object({ type: z.literal('error'), error: z.unknown().optional() }),
]);

export type UsagePart = z.output<typeof Usage>;
export type WrittenPart = z.output<typeof Written>;
