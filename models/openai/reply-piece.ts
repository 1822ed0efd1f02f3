import { z } from 'zod/v4';
import type { Json } from '../../agent/vocabulary.ts';

/**
 * What compatible servers answer, whole or as one piece of a stream, as far as it is read: fields that are not read may be
 * anything, and so may those that only some servers send.
 */

/** Some servers write the text as a list of parts; Mistral's reasoning models put their thoughts among them. */
const ContentPart = z.looseObject({
  text: z.string().nullish(),
  thinking: z
    .union([z.string(), z.array(z.looseObject({ text: z.string().nullish() }))])
    .nullish()
    .catch(undefined),
});

const Content = z.union([z.string(), z.array(ContentPart)]).transform((content) => {
  if (typeof content === 'string') return { text: content, thought: '' };
  return {
    text: content.map(({ text }) => text ?? '').join(''),
    thought: content.map(({ thinking }) => thoughtIn(thinking ?? '')).join(''),
  };
});

/** JSON.parse made it. */
const AnyJson = z.custom<Json>((value) => value !== undefined);

const CallPiece = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.unknown() }).nullish(),
  extra_content: AnyJson.nullish().catch(undefined),
});

const Message = z.object({
  content: Content.nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(CallPiece).nullish(),
  reasoning_content: z.string().nullish().catch(undefined),
  reasoning: z.string().nullish().catch(undefined),
  reasoning_details: z.array(AnyJson).nullish().catch(undefined),
});

const Choice = z.object({
  index: z.number().nullish(),
  text: z.string().nullish(),
  message: Message.nullish(),
  delta: Message.nullish(),
  finish_reason: z.string().nullish(),
});

const Usage = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  total_tokens: z.number().nullish(),
  prompt_tokens_details: z
    .object({ cached_tokens: z.number().nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
  /** DeepSeek's word for the same (api-docs.deepseek.com/guides/kv_cache). */
  prompt_cache_hit_tokens: z.number().nullish().catch(undefined),
});

export const ReplyPiece = z.object({ choices: z.array(Choice).nullish(), usage: Usage.nullish() });

export type MessagePiece = z.output<typeof Message>;
export type ToolCallPiece = z.output<typeof CallPiece>;
export type UsagePiece = z.output<typeof Usage>;

function thoughtIn(thinking: string | { text?: string | null | undefined }[]): string {
  return typeof thinking === 'string' ? thinking : thinking.map(({ text }) => text ?? '').join('');
}
