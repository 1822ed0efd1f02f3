import { type Duration, msToNumber } from '@temporalio/common/lib/time.js';
import { z } from 'zod/v4';
import { limits } from '../../agent/values/limits.ts';
import { finiteMs } from '../../agent/values/values.ts';
import { ConfigError } from '../define.ts';

/** A duration as definitions write it. What it says is checked where the message can name the place: {@link milliseconds}. */
export const duration = z.union(
  [z.number(), z.string()],
  "is not a duration: give milliseconds, or a text such as '30s'",
);

interface Longest {
  ms: number;
  words: string;
}

const TIMER: Longest = { ms: limits.timerMs, words: '24 days' };

/** Milliseconds of a number or a duration string. Throws {@link ConfigError} naming `what`. */
export function milliseconds(
  value: number | string,
  what: string,
  { orNone = '', longest = TIMER }: { orNone?: string; longest?: Longest } = {},
): number {
  const ms = finiteMs(typeof value === 'number' ? value : parse(value));
  if (ms === undefined) {
    throw new ConfigError(
      `${what}: ${JSON.stringify(typeof value === 'number' ? String(value) : value)} is not a duration. Write milliseconds or a text such as '30s', '10m', '1h'.`,
    );
  }
  if (ms <= longest.ms) return ms;
  const problem = longest === TIMER ? 'is longer than a timer can count' : 'is too long';
  throw new ConfigError(
    `${what}: ${JSON.stringify(value)} ${problem}. Write at most '${longest.words}'${orNone}.`,
  );
}

/** The same for a time-out, which cannot be 0. */
export function timeout(value: number | string, what: string, longest = TIMER): number {
  const ms = milliseconds(value, what, { longest });
  if (ms > 0) return ms;
  throw new ConfigError(`${what}: 0 leaves no time at all. Leave it out for the default.`);
}

function parse(text: string): number | undefined {
  try {
    return msToNumber(text as Duration); // checked by the call itself
  } catch {
    return undefined;
  }
}
