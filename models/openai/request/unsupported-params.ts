import { APIError } from 'openai';
import type { JsonObject } from '../../../agent/values/vocabulary.ts';
import { hasReasoning, lacksReasoning, withEmptyReasoning, withoutReasoning } from '../reasoning.ts';

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

/** Not fields of the request, but what its messages say of the model's thoughts: refused, or missed. */
const REASONING = 'reasoning';
const EMPTY_REASONING = 'reasoning_content';

const CODES = /^(unsupported_parameter|unsupported_value|unknown_parameter)$/;
/** How servers say it that give no such code. */
const WORDING =
  /unsupported|not supported|not support\b|unrecogni[sz]ed|unknown (field|parameter|argument)|unexpected keyword|extra.(inputs|forbidden)|not permitted|not allowed|deprecated|unknown name|cannot find field/i;

/** The field of `body` that the model refused, or undefined if the error means something else. */
export function unsupportedParam(error: unknown, body: JsonObject): string | undefined {
  if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return undefined;
  const reasoning = unsupportedReasoning(error.message, body);
  if (reasoning !== undefined) return reasoning;
  const sent = DROPPABLE.filter((name) => name in body);
  if (error.param && CODES.test(String(error.code))) return sent.find((name) => name === error.param);
  if (!WORDING.test(error.message)) return undefined;
  return sent.includes(error.param ?? '') ? (error.param ?? undefined) : firstNamed(error.message, sent);
}

/**
 * "The `reasoning_content` in the thinking mode must be passed back to the API." is DeepSeek's word, and before it "Missing
 * `reasoning_content` field in the assistant message at message index 2."; others refuse the very field.
 */
function unsupportedReasoning(message: string, body: JsonObject): string | undefined {
  if (!/\breasoning(_content|_details)?\b/.test(message)) return undefined;
  if (/passed back|missing/i.test(message)) return lacksReasoning(body) ? EMPTY_REASONING : undefined;
  const isRefused = WORDING.test(message) || /should not|must not|invalid/i.test(message);
  return isRefused && hasReasoning(body) ? REASONING : undefined;
}

/** The first name in the message; some servers write `maxTokens` for `max_tokens`. */
function firstNamed(message: string, names: string[]): string | undefined {
  const places = names
    .map((name) => ({ name, at: message.search(new RegExp(`\\b${name.replaceAll('_', '_?')}\\b`, 'i')) }))
    .filter((place) => place.at >= 0);
  return places.sort((a, b) => a.at - b.at)[0]?.name;
}

/** The body without a refused field. Newer chat models take `max_completion_tokens` where others take `max_tokens`. */
export function withoutParam(body: JsonObject, param: string): JsonObject {
  if (param === REASONING) return withoutReasoning(body);
  if (param === EMPTY_REASONING) return withEmptyReasoning(body);
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
    default:
      return `Model ${model} refused "${param}"; it is left out.`;
  }
}
