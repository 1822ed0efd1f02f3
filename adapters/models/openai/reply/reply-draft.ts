import { finishReasonOf } from '../../../../agent/model-reply/finish-reason.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { withoutRepeatedCalls } from '../../../../agent/model-reply/repeated-calls.ts';
import { type ReportedCounts, wholeCounts } from '../../../../agent/model-reply/token-counts.ts';
import type { Json, ToolCall } from '../../../../agent/values/vocabulary.ts';
import type { ZodError } from 'zod/v4';
import type { ModelReply } from '../../model.ts';
import {
  type ChoicePiece,
  type MessagePiece,
  ReplyPiece,
  type ToolCallPiece,
  type UsagePiece,
} from './reply-piece.ts';
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
  /** The provider's id of the reply; pieces of a stream have the same one. */
  id: string | undefined;
  text: string;
  reasoning: ReasoningDraft;
  calls: DraftCall[];
  /** The latest call of each index. */
  callAt: Map<number, DraftCall>;
  /** The largest of each count so far: some servers repeat usage, with zeros or in parts. */
  counts: ReportedCounts;
  /** undefined until the provider says why it stopped. */
  finishReason: string | undefined;
  /** A choice said that it had no reason to finish yet (null): a whole reply says one in the end. */
  awaitsReason: boolean;
  /** Some piece of a stream brought a `delta`. */
  hasDeltas: boolean;
  /** Characters of all that is to be recorded. */
  length: number;
  /** Was there any choice at all? */
  started: boolean;
}

export function emptyDraft(): Draft {
  return {
    id: undefined,
    text: '',
    reasoning: noReasoning(),
    calls: [],
    callAt: new Map(),
    counts: {},
    finishReason: undefined,
    awaitsReason: false,
    hasDeltas: false,
    length: 0,
    started: false,
  };
}

/** The new part of a piece, or the problem with the piece. `advice` replaces the usual advice. */
export type Added = { text: string; thought: string } | { problem: string; advice?: string };

export function addPiece(draft: Draft, json: unknown): Added {
  const parsed = ReplyPiece.safeParse(json);
  if (!parsed.success) return problemOf(parsed.error);
  const { choices, usage, id } = parsed.data;
  draft.id ??= id || undefined;
  if (usage) draft.counts = largest(draft.counts, countsOf(usage));
  const choice = choices?.find(({ index }) => (index ?? 0) === 0);
  if (choice === undefined) return { text: '', thought: '' };
  draft.started = true;
  const { finish_reason: reason } = choice;
  if (reason === null || reason === '') draft.awaitsReason = true;
  else if (reason !== undefined) draft.finishReason = finishReasonOf(reason);
  const message = messageOf(choice, draft);
  for (const [index, call] of (message?.tool_calls ?? []).entries()) {
    // Each entry of a whole message is a separate call.
    addCall(draft, message === choice.message ? { ...call, index } : call);
    if (draft.calls.length > limits.replyCalls) return TOO_MANY_CALLS;
  }
  const text = choice.text ?? (message?.content?.text || message?.refusal || '');
  draft.text += text;
  draft.length += text.length;
  return { text, thought: addReasoning(draft.reasoning, message ?? {}) };
}

/**
 * Perplexity and some gateways put all the text so far in a `message` beside each `delta`, or at the end of a stream: the deltas
 * count. A server without deltas sends the message alone, perhaps beside an empty one.
 */
function messageOf({ message, delta }: ChoicePiece, draft: Draft): MessagePiece | null | undefined {
  if (!message) {
    draft.hasDeltas ||= !!delta && bringsSomething(delta);
    return delta;
  }
  if (delta && bringsSomething(delta)) draft.hasDeltas = true;
  return draft.hasDeltas ? delta : message;
}

function bringsSomething({ content, refusal, tool_calls: calls, ...thought }: MessagePiece): boolean {
  const texts = [content?.text, content?.thought, refusal, thought.reasoning, thought.reasoning_content];
  return texts.some((text) => text) || [calls, thought.reasoning_details].some((list) => list?.length);
}

const TOO_MANY_CALLS = { problem: `more than ${limits.replyCalls} tool calls`, advice: '' };

function problemOf({ issues: [issue] }: ZodError): Added {
  const { code, path = [] } = issue ?? {};
  if (path.length === 0) return { problem: 'no choices' };
  if (code === 'too_big' && path.at(-1) === 'tool_calls') return TOO_MANY_CALLS;
  return { problem: `a reply whose field ${path.join('.')} is not as the OpenAI protocol has it` };
}

/** Servers that never name a reason to finish mean that the reply is whole. `step` is the model call. */
export function asReply(draft: Draft, step: string, returnsReasoning: boolean): ModelReply {
  const sorted = withoutRepeatedCalls(draft.calls.toSorted((a, b) => a.index - b.index));
  const ids = distinctIds(
    sorted.map((call) => call.id),
    step,
  );
  const calls = sorted.map((call, at) => ({ ...call, id: ids[at] ?? call.id }));
  const { text, reasoning, counts, finishReason } = draft;
  return {
    id: draft.id,
    text,
    toolCalls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    reasoning: reasoning.text === '' ? undefined : reasoning.text,
    providerData: calls.length === 0 ? undefined : providerDataOf(reasoning, calls, returnsReasoning),
    usage: wholeCounts(counts),
    finishReason: finishReason ?? 'unknown',
  };
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

/** A call without name and arguments takes its place, too. */
function lengthOf(call: DraftCall): number {
  return JSON_FRAME + call.id.length + call.name.length + call.arguments.length;
}

const JSON_FRAME = '{"id":"","name":"","arguments":""},'.length;

/**
 * A new call starts with a name. Some servers send no index, or 0 for every call; some give every piece another id. Without
 * indexes and ids, the name is the only sign.
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

/**
 * `cached_tokens` beside the others is Moonshot's; `cache_read_input_tokens` and `cache_creation_input_tokens` come from
 * Anthropic through gateways.
 */
function countsOf(usage: UsagePiece): ReportedCounts {
  return {
    prompt: usage.prompt_tokens ?? 0,
    completion: usage.completion_tokens ?? 0,
    total: usage.total_tokens ?? 0,
    cached:
      usage.prompt_tokens_details?.cached_tokens ||
      usage.prompt_cache_hit_tokens ||
      usage.cached_tokens ||
      usage.cache_read_input_tokens ||
      0,
    written: usage.prompt_tokens_details?.cache_write_tokens || usage.cache_creation_input_tokens || 0,
    thoughts: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  };
}

type Count = 'prompt' | 'completion' | 'total' | 'cached' | 'written' | 'thoughts';

function largest(before: ReportedCounts, now: ReportedCounts): ReportedCounts {
  const more = (count: Count) => Math.max(before[count] ?? 0, now[count] ?? 0);
  return {
    prompt: more('prompt'),
    completion: more('completion'),
    total: more('total'),
    cached: more('cached'),
    written: more('written'),
    thoughts: more('thoughts'),
  };
}
