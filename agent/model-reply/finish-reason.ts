/**
 * Providers' words for the reason why a reply ended, in OpenAI's where there is one: `length` and `content_filter`. Other
 * words stay: `stop`, `tool_calls`, `eos_token`.
 */
export function finishReasonOf(said: string): string {
  const word = wordOf(said);
  if (CUT.test(word)) return 'length';
  return FILTERED.test(word) ? 'content_filter' : said;
}

/** The provider or its server broke off: the rest of the reply is missing, and calls may be. */
export function isBrokenOff(finishReason: string): boolean {
  return BROKEN.test(wordOf(finishReason));
}

/** Returns true for a reply with neither a text nor a call. */
export function isSilent(text: string, calls: number): boolean {
  return calls === 0 && text.trim() === '';
}

/** The provider left out a call that it could not read. The rest of the reply is not an answer. */
export function lacksCall(finishReason: string): boolean {
  return LACKS_CALL.test(wordOf(finishReason));
}

function wordOf(finishReason: string): string {
  return finishReason
    .trim()
    .toLowerCase()
    .replaceAll(/[-\s]+/gu, '_');
}

/** Gemini, through gateways: `MALFORMED_FUNCTION_CALL`, `UNEXPECTED_TOOL_CALL`. */
const LACKS_CALL = /^(malformed_(function|tool)_call|unexpected_tool_call)$/u;

/**
 * Mistral: `model_length`. Hugging Face's older servers and Anthropic: `max_tokens`, `max_length`. Anthropic and Z.ai:
 * `model_context_window_exceeded`. Cohere: `ERROR_LIMIT`. OpenAI's responses and others: `max_output_tokens`, `max_new_tokens`.
 */
const CUT =
  /^(model_length|max_(output_|new_|completion_)?(tokens?|length)(_reached)?|token_limit(_reached)?|error_limit|(model_)?context_(window|length)(_exceeded)?)$/u;

/**
 * Z.ai: `sensitive`. Gemini: `SAFETY`, `RECITATION`, `PROHIBITED_CONTENT`, `BLOCKLIST`, `SPII`, through gateways
 * `content_filter: SAFETY`. Bedrock: `guardrail_intervened`, `content_filtered`. Anthropic: `refusal`. Cohere: `ERROR_TOXIC`.
 */
const FILTERED =
  /^(content_?filter(ed)?\b.*|sensitive|(image_)?safety|recitation|prohibited_content|blocklist|spii|guardrail_intervened|refusal|error_toxic)$/u;

/**
 * OpenRouter, Mistral, vLLM and the AI SDK: `error`. AI SDK 7, where a stream ended without a reason: `interrupted`. vLLM and SGLang: `abort`. DeepSeek: `insufficient_system_resource`. Z.ai:
 * `network_error`. Cohere: `USER_CANCEL`, `TIMEOUT`.
 */
const BROKEN =
  /^insufficient_\w*resources?$|(^|_)(error|abort(ed)?|cancel(l?ed)?|fail(ed|ure)?|interrupt(ed)?|disconnect(ed)?|time_?out|timed_out|overload(ed)?|unavailable|preempted|evicted)$/u;
