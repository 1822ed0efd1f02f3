import { limits } from '../../../agent/values/limits.ts';
import type { Json, ToolCall } from '../../../agent/values/vocabulary.ts';
import type { ZodError } from 'zod/v4';
import type { ModelReply } from '../../model.ts';
import { ReplyPiece, type ToolCallPiece, type UsagePiece } from './reply-piece.ts';
import { type ReasoningDraft, addReasoning, noReasoning, providerDataOf } from '../reasoning.ts';
import { distinctIds } from '../../call-ids.ts';

/** `index` is the provider's place for the call, in whatever way it counts. */
interface DraftCall extends ToolCall {
  index: number;
  /** Data that the provider requires back with the call. */
  extra: Json | undefined;
}

/** A reply as it builds up, from one piece or from many. */
export interface Draft {
  text: string;
  reasoning: ReasoningDraft;
  calls: DraftCall[];
  /** The latest call of each index. */
  callAt: Map<number, DraftCall>;
  /** undefined: not reported by the server. */
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
    reasoning: noReasoning(),
    calls: [],
    callAt: new Map(),
    usage: undefined,
    finishReason: undefined,
    length: 0,
    started: false,
  };
}

/** The new part of a piece, or the problem with the piece. `advice` replaces the usual advice. */
export type Added = { text: string; thought: string } | { problem: string; advice?: string };

export function addPiece(draft: Draft, json: unknown): Added {
  const parsed = ReplyPiece.safeParse(json);
  if (!parsed.success) return problemOf(parsed.error);
  const { choices, usage } = parsed.data;
  if (usage) draft.usage = usageOf(usage);
  const choice = choices?.find(({ index }) => (index ?? 0) === 0);
  if (choice === undefined) return { text: '', thought: '' };
  draft.started = true;
  draft.finishReason = finishReasonOf(choice.finish_reason) ?? draft.finishReason;
  const message = choice.message ?? choice.delta;
  for (const [index, call] of (message?.tool_calls ?? []).entries()) {
    // In a whole message each entry is a separate call.
    addCall(draft, choice.message ? { ...call, index } : call);
    if (draft.calls.length > limits.replyCalls) return TOO_MANY_CALLS;
  }
  const text = choice.text ?? message?.content?.text ?? message?.refusal ?? '';
  draft.text += text;
  draft.length += text.length;
  return { text, thought: addReasoning(draft.reasoning, message ?? {}) };
}

const TOO_MANY_CALLS = { problem: `more than ${limits.replyCalls} tool calls`, advice: '' };

function problemOf({ issues: [issue] }: ZodError): Added {
  const { code, path = [] } = issue ?? {};
  if (path.length === 0) return { problem: 'no choices' };
  if (code === 'too_big' && path.at(-1) === 'tool_calls') return TOO_MANY_CALLS;
  return { problem: `a reply whose field ${path.join('.')} is not as the OpenAI protocol has it` };
}

/** Providers that give no reason at all still mean that the reply is whole. `step` is the model call. */
export function asReply(draft: Draft, step: string, returnsReasoning: boolean): ModelReply {
  const sorted = draft.calls.toSorted((a, b) => a.index - b.index);
  const ids = distinctIds(
    sorted.map(({ id }) => id),
    step,
  );
  const calls = sorted.map((call, at) => ({ ...call, id: ids[at] ?? call.id }));
  const { text, reasoning, usage, finishReason } = draft;
  return {
    text,
    toolCalls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    reasoning: reasoning.text === '' ? undefined : reasoning.text,
    providerData: calls.length === 0 ? undefined : providerDataOf(reasoning, calls, returnsReasoning),
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

/** A call comes whole or in pieces; a piece without an index belongs to the last call. */
function addCall(draft: Draft, piece: ToolCallPiece): void {
  const { calls, callAt } = draft;
  const open = typeof piece.index === 'number' ? callAt.get(piece.index) : calls.at(-1);
  const call =
    open === undefined || beginsAnother(open, piece)
      ? { id: '', name: '', arguments: '', index: piece.index ?? calls.length, extra: undefined }
      : open;
  const before = call === open ? lengthOf(call) : 0;
  if (call !== open) {
    calls.push(call);
    callAt.set(call.index, call);
  }
  call.id ||= piece.id ?? '';
  call.name ||= piece.function?.name ?? '';
  call.arguments += argumentText(piece.function?.arguments);
  call.extra ??= piece.extra_content ?? undefined;
  draft.length += lengthOf(call) - before;
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

/** Servers that do not count write zeros. */
function usageOf(usage: UsagePiece): ModelReply['usage'] {
  const promptTokens = usage.prompt_tokens ?? 0;
  const completionTokens = usage.completion_tokens ?? 0;
  const totalTokens = usage.total_tokens ?? promptTokens + completionTokens;
  if (totalTokens === 0) return undefined;
  const cachedTokens =
    usage.prompt_tokens_details?.cached_tokens || usage.prompt_cache_hit_tokens || undefined;
  return { promptTokens, completionTokens, totalTokens, cachedTokens };
}
