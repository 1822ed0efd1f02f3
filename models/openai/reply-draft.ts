import { z } from 'zod';
import type { ToolCall } from '../../agent/vocabulary.ts';
import type { ModelReply } from '../model.ts';

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
  prompt_tokens_details: z
    .object({ cached_tokens: z.number().nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
});

/** What both APIs answer, whole or as one piece of a stream. Fields that are not read may be anything. */
const Piece = z.object({ choices: z.array(Choice).nullish(), usage: Usage.nullish() });

/** `index` is the provider's place for the call, in whatever way it counts. */
interface DraftCall extends ToolCall {
  index: number;
}

/** A reply as it builds up, from one piece or from many. */
export interface Draft {
  text: string;
  calls: DraftCall[];
  usage: ModelReply['usage'];
  /** undefined until the provider says why it stopped. */
  finishReason: string | undefined;
  /** Characters of all that is to be recorded. */
  length: number;
  /** Was there any choice at all? */
  started: boolean;
}

export function emptyDraft(): Draft {
  return {
    text: '',
    calls: [],
    usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
    finishReason: undefined,
    length: 0,
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
  for (const [index, call] of (message?.tool_calls ?? []).entries()) {
    // In a whole message each entry is a call of its own.
    draft.length += addCall(draft.calls, choice.message ? { ...call, index } : call);
  }
  const text = choice.text ?? message?.content ?? message?.refusal ?? '';
  draft.text += text;
  draft.length += text.length;
  return text;
}

/**
 * Providers that give no reason at all still mean that the reply is whole. Calls without an id are named after `step`, the
 * model call, so that no two of a run are called the same.
 */
export function asReply({ text, calls, usage, finishReason }: Draft, step: string): ModelReply {
  const prefix = `call_${step.replaceAll(/\W/gu, '_')}`;
  const toolCalls = calls
    .toSorted((a, b) => a.index - b.index)
    .map((call, at) => ({
      id: call.id === '' ? `${prefix}_${at + 1}` : call.id,
      name: call.name,
      arguments: call.arguments,
    }));
  return { text, toolCalls, usage, finishReason: finishReason ?? 'unknown' };
}

/** A call comes whole or in pieces. Returns how much longer the draft is. */
function addCall(calls: DraftCall[], piece: z.output<typeof CallPiece>): number {
  const open = calls.findLast(({ index }) => index === (piece.index ?? index));
  const call =
    open === undefined || beginsAnother(open, piece)
      ? { id: '', name: '', arguments: '', index: piece.index ?? calls.length }
      : open;
  const before = call === open ? lengthOf(call) : 0;
  if (call !== open) calls.push(call);
  call.id ||= piece.id ?? '';
  call.name ||= piece.function?.name ?? '';
  call.arguments += argumentText(piece.function?.arguments);
  return lengthOf(call) - before;
}

/** One without name and arguments takes its place, too. */
function lengthOf(call: DraftCall): number {
  return JSON_FRAME + call.id.length + call.name.length + call.arguments.length;
}

const JSON_FRAME = '{"id":"","name":"","arguments":""},'.length;

/**
 * Some servers number no call, or all of them 0; some give every piece another id. Only a name tells a new call from a
 * further piece, and where there are neither numbers nor ids, it is all there is.
 */
function beginsAnother(
  open: DraftCall,
  { index, id, function: called }: z.output<typeof CallPiece>,
): boolean {
  if (!called?.name || open.name === '') return false;
  return id ? id !== open.id : (index ?? undefined) === undefined;
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
    cachedTokens: usage.prompt_tokens_details?.cached_tokens || undefined,
  };
}
