import { LRUCache } from 'lru-cache';

/** Callers that are remembered; a caller that is forgotten starts with a full minute again. */
const MOST_CALLERS = 10_000;
const MINUTE_MS = 60_000;

interface Bucket {
  left: number;
  at: number;
}

/** Seconds until the caller may ask again; 0: now. Each instance of the gateway has its own count. */
export type RateLimit = (caller: string, now?: number) => number;

export function createRateLimit(perMinute: number): RateLimit {
  const buckets = new LRUCache<string, Bucket>({ max: MOST_CALLERS });
  return (caller, now = Date.now()) => {
    const { left, at } = buckets.get(caller) ?? { left: perMinute, at: now };
    const refilled = Math.min(perMinute, left + ((now - at) * perMinute) / MINUTE_MS);
    const allowed = refilled >= 1;
    buckets.set(caller, { left: allowed ? refilled - 1 : refilled, at: now });
    return allowed ? 0 : Math.ceil(((1 - refilled) * MINUTE_MS) / perMinute / 1000);
  };
}
