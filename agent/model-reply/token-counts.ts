/** Token counts of one reply, as far as the server reported them. */
export interface ReportedCounts {
  prompt?: number | undefined;
  completion?: number | undefined;
  total?: number | undefined;
  /** Tokens of the prompt that came from the provider's cache. */
  cached?: number | undefined;
  /** Tokens of the prompt that were written to the cache; `prompt` may be without them. */
  written?: number | undefined;
  /** The model's thoughts, where `completion` may be without them. */
  thoughts?: number | undefined;
  /** `prompt` never includes `cached` and `written`. */
  cacheBeside?: boolean | undefined;
}

export interface WholeCounts {
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  cachedTokens?: number | undefined;
  cacheWriteTokens?: number | undefined;
  reasoningTokens?: number | undefined;
}

/**
 * Makes the counts of all servers alike: the prompt with its cached tokens, the completion with the thoughts, the total their sum.
 * undefined where nothing was counted; servers that do not count write zeros.
 *
 * Anthropic's API and Bedrock count cached tokens beside the input; xAI, and Gemini behind gateways, count thoughts beside the
 * completion: they are in the total alone, or in `reasoning_tokens`.
 */
export function wholeCounts(reported: ReportedCounts): WholeCounts | undefined {
  const { prompt = 0, completion = 0, total = 0, cached = 0, written = 0, thoughts = 0 } = reported;
  const cache = cached + written;
  const isBeside =
    reported.cacheBeside === true ||
    cache > prompt ||
    (cache > 0 && total === prompt + cache + completion && thoughts < cache);
  const promptTokens = isBeside ? prompt + cache : prompt;
  const said = thoughts > completion ? completion + thoughts : completion;
  // A total without the cached tokens says nothing of thoughts.
  const completionTokens = Math.max(said, total - promptTokens);
  const totalTokens = promptTokens + completionTokens;
  if (totalTokens === 0) return undefined;
  return {
    promptTokens,
    completionTokens,
    totalTokens,
    cachedTokens: cached || undefined,
    cacheWriteTokens: written || undefined,
    reasoningTokens: thoughts || undefined,
  };
}
