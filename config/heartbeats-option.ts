import { z } from 'zod/v4';
import { limits } from '../agent/values/limits.ts';

/**
 * Heartbeat interval of long calls. A heartbeat carries the call's text and progress, and its answer says whether the
 * call was cancelled. `lively`: every second. `frugal`: every 6 s. Or `everyMs` from 1000 to 8000: after 10 s of
 * silence the worker counts as dead.
 */
export type Heartbeats = 'lively' | 'frugal' | { everyMs: number };

const SHORTEST_MS = 1000;
const LONGEST_MS = 8000;

const known = z.union([
  z.enum(['lively', 'frugal']),
  z.strictObject({ everyMs: z.int().min(SHORTEST_MS).max(LONGEST_MS) }),
]);

export const heartbeatsSchema = z.custom<Heartbeats>(
  (value) => known.safeParse(value).success,
  `is none of 'lively', 'frugal' and { everyMs } with milliseconds from ${SHORTEST_MS} to ${LONGEST_MS}`,
);

/** Interval of heartbeats in milliseconds. */
export function heartbeatInterval(heartbeats: Heartbeats): number {
  if (heartbeats === 'lively') return SHORTEST_MS;
  return heartbeats === 'frugal' ? limits.frugalHeartbeatMs : heartbeats.everyMs;
}

/** Default heartbeats: lively if they are not billed, that is with a server on this machine. */
export function usualHeartbeats(address: string | undefined): Heartbeats {
  return address !== undefined && isHere(address) ? 'lively' : 'frugal';
}

/** `[::1]:7233` and `localhost:7233`, among others. */
function isHere(address: string): boolean {
  const host = /^(.+):\d+$/u.exec(address)?.[1] ?? address;
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/iu.test(host);
}
