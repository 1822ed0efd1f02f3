/**
 * Providers' words for what they refuse, where status and code do not say it. Each pattern is one that a provider or server sends;
 * the table of test/unit/adapters/models/refusal-words.test.ts has them with their sources.
 */

/** The prompt, perhaps with the reply that was asked for, is longer than the model or the account's limit for one request takes. */
export function isTooLong(status: number, said: string): boolean {
  if (status === 413) return true;
  if (status === 429) return TOO_LARGE_AT_ONCE.test(said);
  if (OF_OTHER_LENGTHS.test(said)) return false;
  if ([400, 422].includes(status)) return TOO_LONG.some((words) => words.test(said));
  // Servers of the protocol that know one status for all errors.
  return status >= 500 && /context|prompt|token/iu.test(said) && TOO_LONG.some((words) => words.test(said));
}

const TOO_LONG: readonly RegExp[] = [
  /context_length_exceeded|exceed_context_size|prompt_tokens_exceeded|tokens_limit_reached|request_too_large/iu,
  /\bcontext[ _-](?:length|window|size|limit)\b|\bmaximum context\b|\bcontext (?:the )?overflow/iu,
  /\b(?:prompt|inputs?|request|request body|messages?|conversation)\b`?(?: [a-z]+){0,3}(?: \([^)]{0,60}\))?(?: is| are| was)? (?:too (?:long|large|big)|longer than|larger than|greater than)\b/iu,
  /\b(?:prompt|inputs?|your request|the request|tokens?|sequence|message)\b[^.\n]{0,100}\bexceed(?:s|ed|ing)?\b[^\n]{0,40}(?:\btokens?\b|\blength\b|\blimit\b|\bmax(?:imum)?\b|\d)/iu,
  /\bmax(?:imum)? (?:allowed )?(?:prompt|input|model|supported sequence|sequence|message)s? (?:length|tokens?|size|characters)\b|\bmax_seq_len\b/iu,
  /\binputs`? (?:tokens \+|must have less than \d)|\binput is too long\b|\brange of input length\b/iu,
  /\btoo many (?:input |prompt )?tokens\b(?! per)|\b(?:total|max) tokens limit\b/iu,
  /\breduce (?:the|your) (?:length|prompt|input|messages?|context|number of (?:input )?tokens)\b|\bshorter prompt\b|\bshorten (?:the|your) (?:prompt|input|messages?)\b/iu,
  /\btokens to keep from the initial prompt\b|\bcontains \d+ characters \(more than\b|\bmaxLength: \d+, actual\b/iu,
  /超长|输入.{0,8}(?:超|过长)|上下文.{0,8}(?:超|过长)/u,
];

/** Groq and OpenAI: one request takes more than the limit of a minute, so waiting does not help. */
const TOO_LARGE_AT_ONCE = /\brequest too large\b|\btokens must be reduced\b/iu;

/** Lengths of something else: the reply that is asked for, an id, a list, an image; and limits of time and number. */
const OF_OTHER_LENGTHS =
  /\bthe maximum tokens you requested exceed|^[^a-z]*(?:\d{3} )?\W*`?max_(?:completion_|output_)?tokens`?[^\n]{0,60}(?:too large|cannot be|must be|at most)|\b(?:string|array) too long\b|\b(?:image|file|audio|video|pdf)s?\b(?! and text)[^\n]{0,40}\b(?:too (?:large|big|long|many)|exceed)|\b(?:description|name|schema|enum)\b[^\n]{0,40}\b(?:too long|exceed)|\b(?:time|rate|quota)[ _]?(?:out|limit)?\b[^\n]{0,20}\bexceed|\bexceed\w*\b[^\n]{0,20}\b(?:time|rate|quota)\b/iu;

/** A request that can never succeed, answered as if the server had failed: llama.cpp's server, llama-cpp-python. */
export function isRefusedFor(said: string): boolean {
  return /\bvalidation errors?\b/iu.test(said) || refusesFeature(said);
}

/** The model takes no images at all. One that refuses a format or a size of images does. */
export function refusesImages(said: string): boolean {
  return NO_IMAGES.some((words) => words.test(said));
}

const NO_IMAGES: readonly RegExp[] = [
  /\bimages?(?: (?:inputs?|contents?|parts?|attachments?|understanding))? (?:is|are) (?:currently )?not (?:supported|enabled|allowed|available)\b/iu,
  /(?:\bnot|n't|\bun)\s?support(?:s|ed)?\b(?: the| any| content type:?)? [`'"]?(?:images?|image_url|vision|multi-?modal)\b(?! (?:format|type|media|mime|size|url|encoding|dimension|resolution|larger|over|above|of|in|with)s?\b)/iu,
  /\bno endpoints found that support (?:image|multi-?modal)/iu,
  /\bimage_url is only supported by\b|\bunknown variant \W{0,3}image_url\b|\bnot a multi-?modal model\b|\bat most 0 image|\brequired for image input\b/iu,
  /\bimage[^\n]{0,10}' functionality not supported\b/iu,
  /不支持.{0,6}(?:图片|图像|多模态|视觉)(?!格式|类型|大小|尺寸)/u,
];

/**
 * The model calls no tools at all. Ollama: `MODEL does not support tools`; OpenRouter: `No endpoints found that support tool use`; Groq:
 * "`tool calling` is not supported with this model"; Bedrock: `This model doesn't support tool use`; Gemini's endpoint: `Function calling is
 * not enabled for models/gemma-3`; vLLM and llama.cpp without the flags for tools. Calls in parallel are something else.
 */
export function refusesTools(said: string): boolean {
  return NO_TOOLS.some((words) => words.test(said));
}

const NO_TOOLS: readonly RegExp[] = [
  /(?:not|n't|un)\s?support(?:s|ed)?\b.*(?<!parallel )\b(?:tools|(?:tool|function)[ _-]?(?:calls?|calling|use))\b/iu,
  /(?<!parallel )\b(?:tools|(?:tool|function)[ _-]?(?:calls?|calling|use))\b\W{0,3}(?:is|are) (?:currently )?not (?:supported|enabled|available)\b/iu,
  /\btool choice requires --enable-auto-tool-choice\b|\btools? param(?:eter)? requires --jinja\b/iu,
  /\bno endpoints found that support tool/iu,
];

/**
 * The model takes no files beside audio. OpenAI: "This model does not support file content types", "Invalid value: 'file'. Supported values
 * are"; vLLM: "Unknown part type: file".
 */
export function refusesFiles(said: string): boolean {
  return !AUDIO_PART.test(said) && NO_FILES.some((words) => words.test(said));
}

/** @ai-sdk/openai-compatible 3.0.92, of a file that it cannot send: "'file part media type audio/mpeg' functionality not supported". */
const AUDIO_PART = /'[^'\n]*\baudio\b[^'\n]*' functionality not supported/iu;

const NO_FILES = refusalsOf('files?|pdfs?|documents?', 'file');

/** The model takes no audio. Servers in Rust: "unknown variant `input_audio`"; OpenRouter: "No endpoints found that support input audio". */
export function refusesAudio(said: string): boolean {
  return NO_AUDIO.some((words) => words.test(said));
}

const NO_AUDIO = refusalsOf('(?:input[_ ])?audio', 'input_audio');

/** `names`: words for such files, as a pattern. `part`: the type of their content part. A refusal of one format or size is none of them. */
function refusalsOf(names: string, part: string): readonly RegExp[] {
  return [
    `(?:\\bnot|n't|\\bun)\\s?support(?:s|ed)?\\b(?: the| any| content type:?)? [\`'"]?(?:${names})\\b(?! (?:types?|formats?|media|mime|size|larger|over|above|of|url|encoding)\\b)`,
    `\\b(?:${names})(?: (?:inputs?|contents?|parts?|attachments?))? (?:is|are) (?:currently )?not (?:supported|enabled|allowed|available)\\b`,
    `\\bno endpoints found that support (?:input )?(?:${names})`,
    `\\b(?:unknown variant|invalid value:?|unknown part type:?) \\W{0,3}${part}\\b`,
    `\\b(?:${names})[^\\n]{0,30}' functionality not supported\\b`,
  ].map((pattern) => new RegExp(pattern, 'iu'));
}

/** The model itself does not take the images, files or tools of a request, so another model may answer the same request. */
export function refusesFeature(said: string): boolean {
  return [refusesImages, refusesFiles, refusesAudio, refusesTools].some((refuses) => refuses(said));
}

export const NO_TOOLS_ADVICE =
  "This model cannot call tools: give the agent kind: 'zero-shot', or another model.";

export const NO_IMAGES_ADVICE =
  'This model takes no images: ask one that does, or describe the image in words. An agent with images: false refuses such a question at the start.';

export const NO_FILES_ADVICE =
  'This model takes no file of this kind: ask one that does, or give the file as a text. An agent with files: false refuses such a question at the start.';

/**
 * The reply went wrong, not the request, so another attempt may do better: a call or JSON that the provider could not read (Groq:
 * `tool_use_failed`, `json_validate_failed`), thoughts that took all tokens (OpenAI), an answer that was filtered (Anthropic, DashScope).
 */
export function isUnreadableReply(said: string): boolean {
  return /\b(?:tool_use_failed|json_validate_failed|failed_generation|output_parse_failed)\b|\btool call validation failed\b|\bcould not finish the message because\b|\boutput blocked by content filter|\boutput data may contain\b/iu.test(
    said,
  );
}

/** Gemini: "API key not valid." xAI: "Incorrect API key provided". */
export function isWrongKey(said: string): boolean {
  return /\b(?:incorrect|invalid) api[ _]?key\b|\bapi[ _]?key (?:is )?(?:not valid|invalid|expired)\b/iu.test(
    said,
  );
}

/** OpenRouter, LiteLLM, Mistral, DeepSeek, Bedrock. The words are about the model's name alone, not about what the model takes. */
export function isUnknownModel(said: string): boolean {
  return /\bis not a valid model(?: id)?\b|\binvalid model name\b|\binvalid model: |\bmodel (?:identifier is invalid|not exist\b|not found\b)|\bthe model [`'"][^`'"\n]{1,100}[`'"] does not exist\b/iu.test(
    said,
  );
}

/** Anthropic: "Your credit balance is too low to access the Anthropic API." Providers say so with 400, 402 and 429. */
export function isCreditGone(said: string): boolean {
  return NO_CREDIT.test(said);
}

/** No credit is left. Gemini says so of a limit per minute, too; then it says how long to wait. */
export function isOutOfCredit(status: number, said: string, retryAfterMs: number | undefined): boolean {
  if (status === 402 || /\binsufficient_quota\b|\bbilling_(?:hard_limit|not_active)/iu.test(said))
    return true;
  return retryAfterMs === undefined && isCreditGone(said);
}

/** The word `billing` alone may be the name of a tool that the provider quotes. */
const NO_CREDIT =
  /\bexceeded your current quota\b|\b(?:plans? (?:and|&)|your|check|enable|requires?) billing\b|\bbilling (?:account|details|is not|to be enabled)\b|\bcredit balance\b|\b(?:insufficient|not enough|no|out of) (?:credits?|balance|funds)\b|\bpayment required\b|余额不足|欠费/iu;
