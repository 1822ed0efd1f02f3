import type { RateLimit } from '../../model.ts';

const UNITS: { readonly [unit: string]: number } = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Reads the headers `x-ratelimit-remaining-…` and `x-ratelimit-reset-…` of OpenAI and of servers with its protocol; undefined
 * if there are none. `resetMs` counts only limits of which nothing is left.
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

/** `6m0s`, `1.5s` or `20ms`. */
function timeIn(headers: Headers | undefined, name: string): number | undefined {
  const text = headers?.get(name)?.trim() ?? '';
  if (!/^(\d{1,15}(\.\d{1,15})?(ms|s|m|h|d))+$/u.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)(ms|[smhd])/gu)];
  return Math.ceil(parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0));
}
