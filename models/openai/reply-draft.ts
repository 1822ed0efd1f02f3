import type { Json, ToolCall } from '../../agent/vocabulary.ts';
import type { ModelReply } from '../model.ts';
import { ReplyPiece, type ToolCallPiece, type UsagePiece } from './reply-piece.ts';
import { type Thoughts, addThoughts, noThoughts, providerDataOf } from './thoughts.ts';

/** `index` is the provider's place for the call, in whatever way it counts. */
interface DraftCall extends ToolCall {
  index: number;
  /** What the provider wants back with the call. */
  extra: Json | undefined;
}

/** A reply as it builds up, from one piece or from many. */
export interface Draft {
  text: string;
  thoughts: Thoughts;
  calls: DraftCall[];
  /** undefined: the server has not said. */
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
    thoughts: noThoughts,
    calls: [],
    usage: undefined,
    finishReason: undefined,
    length: 0,
    started: false,
  };
}

/** Adds one piece and returns what is new in it to read, or undefined if the piece does not follow the protocol. */
export function addPiece(draft: Draft, json: unknown): { text: string; thought: string } | undefined {
  const parsed = ReplyPiece.safeParse(json);
  if (!parsed.success) return undefined;
  const { choices, usage } = parsed.data;
  if (usage) draft.usage = usageOf(usage);
  const choice = choices?.find(({ index }) => (index ?? 0) === 0);
  if (choice === undefined) return { text: '', thought: '' };
  draft.started = true;
  draft.finishReason = finishReasonOf(choice.finish_reason) ?? draft.finishReason;
  const message = choice.message ?? choice.delta;
  for (const [index, call] of (message?.tool_calls ?? []).entries()) {
    // In a whole message each entry is a call of its own.
    draft.length += addCall(draft.calls, choice.message ? { ...call, index } : call);
  }
  const text = choice.text ?? message?.content?.text ?? message?.refusal ?? '';
  draft.text += text;
  draft.length += text.length;
  const { thoughts, added } = addThoughts(draft.thoughts, message ?? {});
  draft.thoughts = thoughts;
  return { text, thought: added };
}

/**
 * Providers that give no reason at all still mean that the reply is whole. Calls without an id are named after `step`, the
 * model call, so that no two of a run are called the same; nor are two of one reply.
 */
export function asReply(draft: Draft, step: string, returnsThoughts: boolean): ModelReply {
  const prefix = `call_${step.replaceAll(/\W/gu, '_')}`;
  const ids = new Set<string>();
  const calls = draft.calls
    .toSorted((a, b) => a.index - b.index)
    .map((call, at) => {
      const id = call.id === '' || ids.has(call.id) ? `${prefix}_${at + 1}` : call.id;
      ids.add(id);
      return { ...call, id };
    });
  const { text, thoughts, usage, finishReason } = draft;
  return {
    text,
    toolCalls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    reasoning: thoughts.text === '' ? undefined : thoughts.text,
    providerData: calls.length === 0 ? undefined : providerDataOf(thoughts, calls, returnsThoughts),
    usage,
    finishReason: finishReason ?? 'unknown',
  };
}

/** Mistral says `model_length` (docs.mistral.ai/api), older servers of Hugging Face and Anthropic's own API `max_tokens`. */
const CUT = /^(model_length|max_tokens|max_length)$/i;

function finishReasonOf(said: string | null | undefined): string | undefined {
  if (said === null || said === undefined || said === '') return undefined;
  return CUT.test(said) ? 'length' : said;
}

/** A call comes whole or in pieces. Returns how much longer the draft is. */
function addCall(calls: DraftCall[], piece: ToolCallPiece): number {
  const open = calls.findLast(({ index }) => index === (piece.index ?? index));
  const call =
    open === undefined || beginsAnother(open, piece)
      ? { id: '', name: '', arguments: '', index: piece.index ?? calls.length, extra: undefined }
      : open;
  const before = call === open ? lengthOf(call) : 0;
  if (call !== open) calls.push(call);
  call.id ||= piece.id ?? '';
  call.name ||= piece.function?.name ?? '';
  call.arguments += argumentText(piece.function?.arguments);
  call.extra ??= piece.extra_content ?? undefined;
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
function beginsAnother(open: DraftCall, { index, id, function: called }: ToolCallPiece): boolean {
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

/** Zeros are what servers write that do not count. */
function usageOf(usage: UsagePiece): ModelReply['usage'] {
  const promptTokens = usage.prompt_tokens ?? 0;
  const completionTokens = usage.completion_tokens ?? 0;
  const totalTokens = usage.total_tokens ?? promptTokens + completionTokens;
  if (totalTokens === 0) return undefined;
  const cachedTokens =
    usage.prompt_tokens_details?.cached_tokens || usage.prompt_cache_hit_tokens || undefined;
  return { promptTokens, completionTokens, totalTokens, cachedTokens };
}
