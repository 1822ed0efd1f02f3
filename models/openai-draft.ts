import { z } from 'zod';
import type { ToolCall } from '../agent/vocabulary.ts';
import type { ModelReply } from './model.ts';

/** Some servers write the text as a list of parts. */
const Content = z.union([
  z.string(),
  z
    .array(z.looseObject({ text: z.string().nullish() }))
    .transform((parts) => parts.map((part) => part.text ?? '').join('')),
]);

const CallPiece = z.object({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.unknown() }).nullish(),
});

const Message = z.object({
  content: Content.nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(CallPiece).nullish(),
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
});

/** What both APIs answer, whole or as one piece of a stream. Fields that are not read may be anything. */
const Piece = z.object({ choices: z.array(Choice).nullish(), usage: Usage.nullish() });

/** A reply as it builds up, from one piece or from many. */
export interface Draft {
  text: string;
  toolCalls: ToolCall[];
  usage: ModelReply['usage'];
  /** undefined until the provider says why it stopped. */
  finishReason: string | undefined;
  /** Was there any choice at all? */
  started: boolean;
}

export function emptyDraft(): Draft {
  return {
    text: '',
    toolCalls: [],
    usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
    finishReason: undefined,
    started: false,
  };
}

/** Adds one piece and returns the text that is new, or undefined if the piece does not follow the protocol. */
export function addPiece(draft: Draft, json: unknown): string | undefined {
  const parsed = Piece.safeParse(json);
  if (!parsed.success) return undefined;
  const { choices, usage } = parsed.data;
  if (usage) draft.usage = usageOf(usage);
  const choice = choices?.find(({ index }) => (index ?? 0) === 0);
  if (choice === undefined) return '';
  draft.started = true;
  draft.finishReason = choice.finish_reason ?? draft.finishReason;
  const message = choice.message ?? choice.delta;
  for (const call of message?.tool_calls ?? []) addCall(draft.toolCalls, call);
  const text = choice.text ?? message?.content ?? message?.refusal ?? '';
  draft.text += text;
  return text;
}

/** Providers that give no reason at all still mean that the reply is whole. */
export function asReply({ text, toolCalls, usage, finishReason }: Draft): ModelReply {
  // A server may number its calls from 1; `filter` passes over the hole.
  const calls = toolCalls.filter(() => true);
  const named = calls.map((call, index) => ({ ...call, id: call.id === '' ? `call_${index + 1}` : call.id }));
  return { text, toolCalls: named, usage, finishReason: finishReason ?? 'unknown' };
}

/** A call comes whole or in pieces; a piece without an index belongs to the last call, unless it brings a new id. */
function addCall(calls: ToolCall[], piece: z.output<typeof CallPiece>): void {
  const last = Math.max(calls.length - 1, 0);
  const index = piece.index ?? (piece.id && piece.id !== calls[last]?.id ? calls.length : last);
  const call = (calls[index] ??= { id: '', name: '', arguments: '' });
  call.id ||= piece.id ?? '';
  call.name ||= piece.function?.name ?? '';
  call.arguments += argumentText(piece.function?.arguments);
}

/** The protocol says text; some servers send the object itself. */
function argumentText(value: unknown): string {
  return typeof value === 'string'
    ? value
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value);
}

function usageOf(usage: z.output<typeof Usage>): ModelReply['usage'] {
  const promptTokens = usage.prompt_tokens ?? 0;
  const completionTokens = usage.completion_tokens ?? 0;
  return {
    promptTokens,
    completionTokens,
    totalTokens: usage.total_tokens ?? promptTokens + completionTokens,
  };
}
