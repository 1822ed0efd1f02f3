import { z } from 'zod/v4';
import { limits } from '../../../../agent/values/limits.ts';
import type { Json } from '../../../../agent/values/vocabulary.ts';

/**
 * A response of a compatible server, whole or one piece of a stream, as far as it is read: fields that are not read may
 * be anything, and so may those that only some servers send.
 */

/** A list whose items are looked at only where it is not too long: each item that does not fit costs time. */
function list<T extends z.ZodType>(item: T, most: number) {
  return z.array(z.unknown()).max(most).pipe(z.array(item));
}

/** OpenAI's maximum for `n`; the first choice is read. */
const MOST_CHOICES = 128;
const MOST_PARTS = 256;
const MAX_REASONING_PARTS = 32;
/** More than can be recorded. */
const MOST_DETAILS = 10_000;

/** Some servers write the text as a list of parts; Mistral's reasoning models put their thoughts among them. */
const ContentPart = z.looseObject({
  text: z.string().nullish(),
  thinking: z
    .union([z.string(), list(z.looseObject({ text: z.string().nullish() }), MAX_REASONING_PARTS)])
    .nullish()
    .catch(undefined),
});

const Content = z.union([z.string(), list(ContentPart, MOST_PARTS)]).transform((content) => {
  if (typeof content === 'string') return { text: content, thought: '' };
  return {
    text: content.map(({ text }) => text ?? '').join(''),
    thought: content.map(({ thinking }) => thoughtIn(thinking ?? '')).join(''),
  };
});

/** JSON.parse made it. */
const AnyJson = z.custom<Json>((value) => value !== undefined);

/** A place among choices or calls; some servers write the number as a text. */
const Index = z
  .union([z.number(), z.string().regex(/^\d+$/u).transform(Number)])
  .nullish()
  .catch(undefined);

const CallPiece = z.object({
  index: Index,
  id: z
    .union([z.string(), z.number().transform(String)])
    .nullish()
    .catch(undefined),
  function: z.object({ name: z.string().nullish(), arguments: z.unknown().optional() }).nullish(),
  extra_content: AnyJson.nullish().catch(undefined),
});

const Message = z.object({
  content: Content.nullish(),
  refusal: z.string().nullish(),
  tool_calls: list(CallPiece, limits.replyCalls).nullish(),
  reasoning_content: z.string().nullish().catch(undefined),
  reasoning: z.string().nullish().catch(undefined),
  reasoning_details: list(AnyJson, MOST_DETAILS).nullish().catch(undefined),
});

const Choice = z.object({
  index: Index,
  text: z.string().nullish(),
  message: Message.nullish(),
  delta: Message.nullish(),
  finish_reason: z.string().nullish().catch(undefined),
});

const count = z.int().min(0).max(limits.replyTokens);

const Usage = z.object({
  prompt_tokens: count.nullish(),
  completion_tokens: count.nullish(),
  total_tokens: count.nullish(),
  prompt_tokens_details: z
    .object({
      cached_tokens: count.nullish().catch(undefined),
      cache_write_tokens: count.nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
  completion_tokens_details: z
    .object({ reasoning_tokens: count.nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
  /** DeepSeek's field for cached tokens (api-docs.deepseek.com/guides/kv_cache), Moonshot's, and Anthropic's. */
  prompt_cache_hit_tokens: count.nullish().catch(undefined),
  cached_tokens: count.nullish().catch(undefined),
  cache_read_input_tokens: count.nullish().catch(undefined),
  cache_creation_input_tokens: count.nullish().catch(undefined),
});

/** A usage with a field that is not a count is unknown as a whole: a sum with a guess in it would pass for a count. */
export const ReplyPiece = z.object({
  id: z.string().nullish().catch(undefined),
  choices: list(Choice, MOST_CHOICES).nullish(),
  usage: Usage.nullish().catch(undefined),
});

export type ChoicePiece = z.output<typeof Choice>;
export type MessagePiece = z.output<typeof Message>;
export type ToolCallPiece = z.output<typeof CallPiece>;
export type UsagePiece = z.output<typeof Usage>;

function thoughtIn(thinking: string | { text?: string | null | undefined }[]): string {
  return typeof thinking === 'string' ? thinking : thinking.map(({ text }) => text ?? '').join('');
}
