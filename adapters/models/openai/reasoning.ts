import { z } from 'zod/v4';
import { limits } from '../../../agent/values/limits.ts';
import type { ChatMessage, Json, JsonObject } from '../../../agent/values/vocabulary.ts';
import type { MessagePiece } from './reply/reply-piece.ts';

/**
 * A model's reasoning before a reply, in the three forms of servers with the OpenAI protocol, and the form in which it
 * goes back. OpenAI's own API returns no reasoning here.
 * - `reasoning_content`: DeepSeek, Qwen, llama.cpp, LM Studio, older vLLM. DeepSeek's thinking mode requires it back with
 *   every reply that called tools, an empty one too (api-docs.deepseek.com/guides/thinking_mode, "Tool Calls").
 * - `reasoning`: vLLM (docs.vllm.ai/en/stable/features/reasoning_outputs), Ollama, Groq, OpenRouter.
 * - `reasoning_details`: OpenRouter, beside `reasoning`; blocks with signatures, required back unchanged and in
 *   order (openrouter.ai/docs/guides/best-practices/reasoning-tokens, "Preserving Reasoning").
 * Gemini's endpoint signs tool calls instead: `extra_content.google.thought_signature` has to come back with the call
 * (ai.google.dev/gemini-api/docs/thought-signatures, "OpenAI compatibility").
 */
export interface ReasoningDraft {
  text: string;
  /** Field of the server's message; undefined: the reasoning does not go back. */
  field: 'reasoning_content' | 'reasoning' | undefined;
  details: Json[];
  /** The last of `details` while its pieces may still come: the same object. */
  open: JsonObject | undefined;
  /** Characters of `details` as JSON, at least. */
  detailChars: number;
}

/** Data that goes back with a reply; recorded, so fields are only ever added. */
const ProviderData = z.object({
  openai: z.object({
    field: z.enum(['reasoning_content', 'reasoning']).optional(),
    details: z.array(z.json()).optional(),
    /** `extra_content` of tool calls, by their ids. */
    calls: z.record(z.string(), z.json()).optional(),
  }),
});

export function noReasoning(): ReasoningDraft {
  return { text: '', field: undefined, details: [], open: undefined, detailChars: 0 };
}

/** Adds the reasoning of a further piece and returns its new text. */
export function addReasoning(draft: ReasoningDraft, piece: MessagePiece): string {
  const { reasoning_content: content, reasoning, reasoning_details: more, content: written } = piece;
  const from =
    typeof content === 'string'
      ? 'reasoning_content'
      : typeof reasoning === 'string'
        ? 'reasoning'
        : undefined;
  const added = content || reasoning || written?.thought || '';
  // More is not recorded; it is not kept either.
  if (draft.text.length < limits.reasoningBytes) draft.text += added;
  draft.field ??= from;
  for (const detail of more ?? []) addDetail(draft, detail);
  return added;
}

/** Data that the server requires back with a reply that calls tools; undefined if there is none. */
export function providerDataOf(
  { field, details }: ReasoningDraft,
  calls: readonly { id: string; extra: Json | undefined }[],
  returnsReasoning: boolean,
): Json | undefined {
  const back: JsonObject = {};
  if (returnsReasoning && details.length > 0) back['details'] = details;
  else if (returnsReasoning && field !== undefined) back['field'] = field;
  const extras = calls.flatMap(({ id, extra }) => (extra === undefined ? [] : [[id, extra] as const]));
  if (extras.length > 0) back['calls'] = Object.fromEntries(extras);
  return Object.keys(back).length === 0 ? undefined : { openai: back };
}

/** The fields of an assistant's message that bring the thoughts back. */
export function reasoningFields({ reasoning = '', providerData }: ChatMessage): JsonObject {
  const { field, details } = dataOf(providerData);
  if (details !== undefined) return { reasoning_details: details };
  return field === undefined ? {} : { [field]: reasoning };
}

/** The fields of a tool call that bring its signature back. */
export function callFields({ providerData }: ChatMessage, id: string): JsonObject {
  const extra = dataOf(providerData).calls?.[id];
  return extra === undefined ? {} : { extra_content: extra };
}

const FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'];

export function hasReasoning({ messages }: JsonObject): boolean {
  return messagesOf(messages).some((message) => FIELDS.some((field) => field in message));
}

/** True if a reply with tool calls lacks its reasoning. */
export function lacksReasoning({ messages }: JsonObject): boolean {
  return messagesOf(messages).some((message) => 'tool_calls' in message && !('reasoning_content' in message));
}

export function withoutReasoning(body: JsonObject): JsonObject {
  return withMessages(body, (message) =>
    Object.fromEntries(Object.entries(message).filter(([field]) => !FIELDS.includes(field))),
  );
}

/** DeepSeek wants the field even of a reply that came without it: the model had nothing to think about. */
export function withEmptyReasoning(body: JsonObject): JsonObject {
  return withMessages(body, (message) =>
    'tool_calls' in message ? { reasoning_content: '', ...message } : message,
  );
}

/** True if a reply with tool calls has an empty reasoning. */
export function lacksReasoningText({ messages }: JsonObject): boolean {
  return messagesOf(messages).some((message) => 'tool_calls' in message && !message['reasoning_content']);
}

/** Moonshot takes no empty field: a text stands for the thoughts that did not come or were not kept. */
export function withReasoningText(body: JsonObject): JsonObject {
  return withMessages(body, (message) =>
    'tool_calls' in message && !message['reasoning_content']
      ? { ...message, reasoning_content: '(not kept)' }
      : message,
  );
}

/** A run may continue with another model than it started with: the data may be another adapter's. */
function dataOf(providerData: Json | undefined): z.output<typeof ProviderData>['openai'] {
  if (providerData === undefined) return {};
  const parsed = ProviderData.safeParse(providerData);
  return parsed.success ? parsed.data.openai : {};
}

const Detail = z.looseObject({ type: z.string(), index: z.number().nullish() });

/**
 * A stream brings a block in pieces: the texts of one block are joined, and its other fields are kept once. Details
 * that are too long to be recorded grow no further: they are dropped as a whole.
 */
function addDetail(draft: ReasoningDraft, piece: Json): void {
  if (draft.detailChars > limits.reasoningBytes) return;
  const next = isDetail(piece) ? piece : undefined;
  const { open } = draft;
  if (open === undefined || next === undefined || !continues(open, next)) {
    draft.open = next && { ...next };
    draft.details.push(draft.open ?? piece);
    draft.detailChars += JSON.stringify(piece).length;
    return;
  }
  for (const [field, value] of Object.entries(next)) {
    if (value === null) continue;
    const before = open[field];
    const isText = field === 'text' || field === 'summary';
    const joins = isText && typeof before === 'string' && typeof value === 'string';
    open[field] = joins ? before + value : value;
    if (joins) draft.detailChars += value.length;
    else if (before === undefined) draft.detailChars += JSON.stringify(value).length;
  }
}

function isDetail(piece: Json): piece is JsonObject {
  return Detail.safeParse(piece).success;
}

function continues(open: JsonObject, next: JsonObject): boolean {
  const isSame = open['type'] === next['type'] && (open['index'] ?? 0) === (next['index'] ?? 0);
  return isSame && open['type'] !== 'reasoning.encrypted';
}

function withMessages(body: JsonObject, change: (message: JsonObject) => JsonObject): JsonObject {
  return { ...body, messages: messagesOf(body['messages']).map(change) };
}

/** Our own body: a list of objects, or none where the request is a text. */
function messagesOf(messages: Json | undefined): JsonObject[] {
  return Array.isArray(messages) ? (messages as JsonObject[]) : [];
}
