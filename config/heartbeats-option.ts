import { z } from 'zod/v4';
import { limits } from '../agent/limits.ts';

/**
 * How often a call that takes long says that it is alive. With it goes what it shows of itself (text, progress), and with
 * the answer comes whether it was cancelled. `lively`: every second. `frugal`: every 6 s. Or every so many milliseconds, from
 * 1000 to 8000: after 10 s of silence its worker is taken for dead.
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

/** In milliseconds. */
export function heartbeatInterval(heartbeats: Heartbeats): number {
  if (heartbeats === 'lively') return SHORTEST_MS;
  return heartbeats === 'frugal' ? limits.frugalBeatMs : heartbeats.everyMs;
}
