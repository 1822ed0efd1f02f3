import { z } from 'zod/v4';
import { limits } from '../../agent/limits.ts';
import type { ChatMessage, Json } from '../../agent/vocabulary.ts';
import type { MessagePiece } from './reply-piece.ts';
import type { WireBody } from './wire-body.ts';

/**
 * What a model thought before a reply, in the three ways in which servers that speak the OpenAI protocol say it, and how
 * it goes back to them. OpenAI itself says nothing of it here.
 * - `reasoning_content`: DeepSeek, Qwen, llama.cpp, LM Studio, older vLLM. DeepSeek's thinking mode wants it back with
 *   every reply that called tools, an empty one too (api-docs.deepseek.com/guides/thinking_mode, "Tool Calls").
 * - `reasoning`: vLLM (docs.vllm.ai/en/stable/features/reasoning_outputs), Ollama, Groq, OpenRouter.
 * - `reasoning_details`: OpenRouter, beside `reasoning`; blocks with signatures that are wanted back as they came, in their
 *   order (openrouter.ai/docs/guides/best-practices/reasoning-tokens, "Preserving Reasoning").
 * Gemini's endpoint signs tool calls in place of it: `extra_content.google.thought_signature` has to come back with the
 * call (ai.google.dev/gemini-api/docs/thought-signatures, "OpenAI compatibility").
 */
export interface Thoughts {
  text: string;
  /** Where the server puts it; undefined: it goes back nowhere. */
  field: 'reasoning_content' | 'reasoning' | undefined;
  details: Json[];
}

/** What goes back with a reply; recorded, so fields are only ever added. */
const ProviderData = z.object({
  openai: z.object({
    field: z.enum(['reasoning_content', 'reasoning']).optional(),
    details: z.array(z.json()).optional(),
    /** `extra_content` of tool calls, by their ids. */
    calls: z.record(z.string(), z.json()).optional(),
  }),
});

export const noThoughts: Thoughts = { text: '', field: undefined, details: [] };

/** The thoughts with those of a further piece, and what is new to read. */
export function addThoughts(
  { text, field, details }: Thoughts,
  piece: MessagePiece,
): { thoughts: Thoughts; added: string } {
  const { reasoning_content: content, reasoning, reasoning_details: more, content: written } = piece;
  const from =
    typeof content === 'string'
      ? 'reasoning_content'
      : typeof reasoning === 'string'
        ? 'reasoning'
        : undefined;
  const added = content || reasoning || written?.thought || '';
  return {
    thoughts: {
      // More is not recorded; it is not kept either.
      text: text.length < limits.reasoningBytes ? text + added : text,
      field: field ?? from,
      details: (more ?? []).reduce(joinDetail, details),
    },
    added,
  };
}

/** What the server wants back with a reply that calls tools; undefined where it is nothing. */
export function providerDataOf(
  { field, details }: Thoughts,
  calls: readonly { id: string; extra: Json | undefined }[],
  returnsThoughts: boolean,
): Json | undefined {
  const back: { [name: string]: Json } = {};
  if (returnsThoughts && details.length > 0) back['details'] = details;
  else if (returnsThoughts && field !== undefined) back['field'] = field;
  const extras = calls.flatMap(({ id, extra }) => (extra === undefined ? [] : [[id, extra] as const]));
  if (extras.length > 0) back['calls'] = Object.fromEntries(extras);
  return Object.keys(back).length === 0 ? undefined : { openai: back };
}

/** The fields of an assistant's message that bring the thoughts back. */
export function thoughtFields({ reasoning = '', providerData }: ChatMessage): { [field: string]: Json } {
  const { field, details } = dataOf(providerData);
  if (details !== undefined) return { reasoning_details: details };
  return field === undefined ? {} : { [field]: reasoning };
}

/** The fields of a tool call that bring its signature back. */
export function callFields({ providerData }: ChatMessage, id: string): { [field: string]: Json } {
  const extra = dataOf(providerData).calls?.[id];
  return extra === undefined ? {} : { extra_content: extra };
}

const FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'];

export function hasThoughts({ messages }: WireBody): boolean {
  return messagesOf(messages).some((message) => FIELDS.some((field) => field in message));
}

/** Is there a reply with tool calls that says nothing of what the model thought? */
export function lacksThoughts({ messages }: WireBody): boolean {
  return messagesOf(messages).some((message) => 'tool_calls' in message && !('reasoning_content' in message));
}

export function withoutThoughts(body: WireBody): WireBody {
  return withMessages(body, (message) =>
    Object.fromEntries(Object.entries(message).filter(([field]) => !FIELDS.includes(field))),
  );
}

/** DeepSeek wants the field even of a reply that came without it: the model had nothing to think about. */
export function withEmptyThoughts(body: WireBody): WireBody {
  return withMessages(body, (message) =>
    'tool_calls' in message ? { reasoning_content: '', ...message } : message,
  );
}

/** Of another adapter: a run may go on with another model than it began with. */
function dataOf(providerData: Json | undefined): z.output<typeof ProviderData>['openai'] {
  if (providerData === undefined) return {};
  const parsed = ProviderData.safeParse(providerData);
  return parsed.success ? parsed.data.openai : {};
}

const Detail = z.looseObject({ type: z.string(), index: z.number().nullish() });

/** A stream brings a block in pieces: the texts of one block are joined, whatever else it says is said once. */
function joinDetail(details: Json[], piece: Json): Json[] {
  const last = Detail.safeParse(details.at(-1)).data;
  const next = Detail.safeParse(piece).data;
  if (last === undefined || next === undefined) return [...details, piece];
  if (last.type !== next.type || (last.index ?? 0) !== (next.index ?? 0)) return [...details, piece];
  if (last.type === 'reasoning.encrypted') return [...details, piece];
  const joined = { ...last, ...onlySaid(next) };
  for (const field of ['text', 'summary'] as const) {
    const [before, after] = [last[field], next[field]];
    if (typeof before === 'string' && typeof after === 'string') joined[field] = before + after;
  }
  return [...details.slice(0, -1), joined as Json]; // of two JSON values
}

function onlySaid(fields: { [name: string]: unknown }): { [name: string]: unknown } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

type WireMessage = { [field: string]: Json };

function withMessages(body: WireBody, change: (message: WireMessage) => WireMessage): WireBody {
  return { ...body, messages: messagesOf(body['messages']).map(change) };
}

/** Our own body: a list of objects, or none where the request is a text. */
function messagesOf(messages: Json | undefined): WireMessage[] {
  return Array.isArray(messages) ? (messages as WireMessage[]) : [];
}
