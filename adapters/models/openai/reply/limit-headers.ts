import { durationMs } from '../../../../agent/values/retry-after.ts';
import type { RateLimit } from '../../model.ts';

/**
 * Reads the headers `x-ratelimit-remaining-…` and `x-ratelimit-reset-…` of OpenAI and of servers with its protocol; undefined
 * if there are none. LiteLLM's proxy passes on the second as `llm_provider-…`. `resetMs` counts only limits of which nothing is left.
 */
export function rateLimitOf(headers: Headers | undefined): RateLimit | undefined {
  const requests = countIn(headers, 'x-ratelimit-remaining-requests');
  const tokens = countIn(headers, 'x-ratelimit-remaining-tokens');
  if (requests === undefined && tokens === undefined) return undefined;
  const resets = [
    requests === 0 ? timeIn(headers, 'x-ratelimit-reset-requests') : undefined,
    tokens === 0 ? timeIn(headers, 'x-ratelimit-reset-tokens') : undefined,
  ].filter((ms) => ms !== undefined);
  return { requests, tokens, resetMs: resets.length === 0 ? undefined : Math.max(...resets) };
}

function countIn(headers: Headers | undefined, name: string): number | undefined {
  const text = headers?.get(name)?.trim() ?? '';
  return /^\d{1,15}$/u.test(text) ? Number(text) : undefined;
}

/** OpenAI writes `6m0s`, Azure a number of seconds. A number that is a time of day is none of seconds. */
function timeIn(headers: Headers | undefined, name: string): number | undefined {
  const text = (headers?.get(name) ?? headers?.get(`llm_provider-${name}`))?.trim() ?? '';
  return durationMs(/^\d{1,6}(?:\.\d+)?$/u.test(text) ? `${text}s` : text);
}
