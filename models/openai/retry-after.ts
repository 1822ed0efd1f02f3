import { limits } from '../../agent/limits.ts';

/** Milliseconds from `retry-after-ms`, or from `retry-after` in seconds or as a date. */
export function retryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const text = headers?.get('retry-after') ?? '';
  const wait = /^\s*[\d.]+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}

/** For an error that is final because the provider asks for more than `limits.retryAfterMs`. */
export function adviceToWait(waitMs: number): string {
  const longest = limits.retryAfterMs / 60_000;
  return `It asks to wait ${duration(waitMs)} before the next request, and ${longest} minutes are the longest that a run waits: start it again then, or use another model or account.`;
}

function duration(ms: number): string {
  const minutes = ms / 60_000;
  if (minutes < 120) return `${Math.ceil(minutes)} minutes`;
  return minutes < 48 * 60 ? `${Math.ceil(minutes / 60)} hours` : `${Math.ceil(minutes / 1440)} days`;
}
