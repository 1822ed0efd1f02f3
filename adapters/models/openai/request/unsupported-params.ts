import { APIError } from 'openai';
import { fieldsOf, isObject } from '../../../../agent/values/json-object.ts';
import type { JsonObject } from '../../../../agent/values/vocabulary.ts';
import {
  hasReasoning,
  lacksReasoning,
  lacksReasoningText,
  withEmptyReasoning,
  withReasoningText,
  withoutReasoning,
} from '../reasoning.ts';

/** Fields that Reloop adds of itself or from the agent's options, and that some models do not take. */
const DROPPABLE = [
  'stop',
  'temperature',
  'max_tokens',
  'max_completion_tokens',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'tool_choice',
  'stream_options',
  'parallel_tool_calls',
  'reasoning_effort',
  'stream',
];

/** Pseudo-fields for the reasoning in the request's messages, which a server refuses or misses. */
const REASONING = 'reasoning';
const EMPTY_REASONING = 'reasoning_content';
const REASONING_TEXT = 'reasoning_content text';

/** Pseudo-field for the empty text of a message that only calls tools. */
const EMPTY_CONTENT = 'empty content';

const CODES = /^(unsupported_parameter|unsupported_value|unknown_parameter)$/;
/** Wording of servers that give no such code. */
const WORDING =
  /unsupported|not supported|(?:not|n't) support\b|\bonly [\d.]+ is allowed\b|unrecogni[sz]ed|unknown (field|parameter|argument)|unexpected keyword|extra.(inputs|forbidden)|not permitted|not allowed|deprecated|unknown name|cannot find field/i;

/** The field of `body` that the model refused, or undefined if the error means something else. */
export function unsupportedParam(error: unknown, body: JsonObject): string | undefined {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const reasoning = unsupportedReasoning(error.message, body);
  if (reasoning !== undefined) return reasoning;
  if (EMPTY_REFUSED.test(error.message) && hasEmptyContent(body)) return EMPTY_CONTENT;
  const sent = DROPPABLE.filter((name) => name in body);
  if (error.param && CODES.test(String(error.code))) return sent.find((name) => name === error.param);
  if (!WORDING.test(error.message)) return undefined;
  return sent.includes(error.param ?? '') ? (error.param ?? undefined) : firstNamed(error.message, sent);
}

/** Anthropic behind gateways: "text content blocks must be non-empty". */
const EMPTY_REFUSED = /\bcontent\b.*\b(?:non-?empty|not be (?:empty|blank)|non-?whitespace|is empty)\b/iu;

function hasEmptyContent({ messages }: JsonObject): boolean {
  return Array.isArray(messages) && messages.some((message) => fieldsOf(message)['content'] === '');
}

function withoutEmptyContent(body: JsonObject): JsonObject {
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  return {
    ...body,
    messages: messages.map((message) =>
      isObject(message) && message['role'] === 'assistant' && message['content'] === ''
        ? { ...message, content: null }
        : message,
    ),
  };
}

/**
 * DeepSeek says "The `reasoning_content` in the thinking mode must be passed back to the API." (formerly "Missing
 * `reasoning_content` field in the assistant message at message index 2."). Moonshot wants a text in it ("thinking is enabled
 * but reasoning_content is missing in assistant tool call message at index 2"). Others refuse the field.
 */
function unsupportedReasoning(message: string, body: JsonObject): string | undefined {
  if (!/\breasoning(_content|_details)?\b/.test(message)) return undefined;
  if (/passed back|missing|required|empty/i.test(message)) {
    if (lacksReasoning(body)) return EMPTY_REASONING;
    return lacksReasoningText(body) ? REASONING_TEXT : undefined;
  }
  const isRefused = WORDING.test(message) || /should not|must not|invalid/i.test(message);
  return isRefused && hasReasoning(body) ? REASONING : undefined;
}

/** The first name in the message; some servers write `maxTokens` for `max_tokens`. */
function firstNamed(message: string, names: string[]): string | undefined {
  const places = names
    .map((name) => ({ name, at: message.search(wordsFor(name)) }))
    .filter((place) => place.at >= 0);
  return places.sort((a, b) => a.at - b.at)[0]?.name;
}

function wordsFor(name: string): RegExp {
  return OTHER_WORDS[name] ?? new RegExp(`\\b${name.replaceAll('_', '[ _]?')}\\b`, 'i');
}

/**
 * Fields that servers refuse in other words. Ollama: "m does not support thinking", "think value "low" is not supported". Bedrock:
 * "doesn't support the stopSequences field", "doesn't support tool use in streaming mode".
 */
const OTHER_WORDS: { readonly [name: string]: RegExp } = {
  reasoning_effort: /\breasoning[ ._]?effort\b|\bthink(?:ing)?\b/iu,
  stop: /\bstop(?:[ _]?sequences?)?\b/iu,
  stream: /\bstream(?:ing)?\b/iu,
};

/** The body without a refused field. Newer chat models take `max_completion_tokens` where others take `max_tokens`. */
export function withoutParam(body: JsonObject, param: string): JsonObject {
  if (param === REASONING) return withoutReasoning(body);
  if (param === EMPTY_REASONING) return withEmptyReasoning(body);
  if (param === REASONING_TEXT) return withReasoningText(body);
  if (param === EMPTY_CONTENT) return withoutEmptyContent(body);
  const { [param]: value, ...rest } = body;
  if (value === undefined) return body;
  if (param === 'max_tokens' && 'messages' in body) return { max_completion_tokens: value, ...rest };
  if (param === 'stream') delete rest['stream_options'];
  return rest;
}

/** Said once per model. */
export function unsupportedWarning(model: string, param: string): string {
  switch (param) {
    case 'max_tokens':
      return `Model ${model} refused "max_tokens"; it is left out ("max_completion_tokens" in chat requests).`;
    case 'stream_options':
      return `Model ${model} refused "stream_options"; it is left out, so the tokens of streamed replies are not counted.`;
    case REASONING:
      return `Model ${model} refused to be shown what it had thought; it is not shown it any more.`;
    case EMPTY_REASONING:
      return `Model ${model} wants to be shown what it had thought, and replies came without it; they are shown with an empty one.`;
    case REASONING_TEXT:
      return `Model ${model} wants to be shown what it had thought, and replies came without it; they are shown with a placeholder.`;
    case EMPTY_CONTENT:
      return `Model ${model} refused the empty text of messages that only call tools; they are sent without a text.`;
    default:
      return `Model ${model} refused "${param}"; it is left out.`;
  }
}
