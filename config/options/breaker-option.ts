import { z } from 'zod/v4';
import { type BreakerOptions, ConfigError } from '../define.ts';
import { duration, timeout } from './duration.ts';
import { options } from './options.ts';

/** The options of a config with a breaker, complete. */
export interface Breaker {
  failures: number;
  probeMs: number;
}

/** Less than the longest wait that a provider may ask for. */
const LONGEST_MS = 5 * 60_000;
const SENTENCE = 'is neither true nor { failures, probeEvery }';

export const breakerSchema = z.union(
  [
    z.boolean(),
    options({ failures: z.int().positive(), probeEvery: duration } satisfies Record<
      keyof BreakerOptions,
      z.ZodType
    >).partial(),
  ],
  {
    error: (issue) => (typeof issue.input === 'object' && issue.input !== null ? undefined : SENTENCE),
  },
);

/** undefined: the config has no breaker. Throws ConfigError for an interval that is not a duration. */
export function completeBreaker(given: boolean | BreakerOptions = false): Breaker | undefined {
  if (given === false) return undefined;
  const { failures = 5, probeEvery = '10s' } = given === true ? {} : given;
  const probeMs = timeout(probeEvery, 'breaker.probeEvery');
  if (probeMs <= LONGEST_MS) return { failures, probeMs };
  throw new ConfigError(
    'breaker.probeEvery is longer than 5 minutes: a model that is back would not be noticed.',
  );
}
