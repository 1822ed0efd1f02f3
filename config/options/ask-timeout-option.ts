import { z } from 'zod/v4';
import type { AskTimeout } from '../../agent/definition/manifest.ts';
import { limits } from '../../agent/values/limits.ts';
import { duration, timeout } from './duration.ts';
import { options } from './options.ts';

/** A duration, or a duration with the reaction at its end. */
export const askTimeoutOption = z.union(
  [duration, options({ after: duration, unanswered: z.enum(['observe', 'fail']).default('observe') })],
  "is neither a duration nor { after: '2h', unanswered: 'observe' | 'fail' }",
);

/** Temporal keeps this timer, so Node's limit of 24 days does not apply. */
const ASK = { ms: limits.askMs, words: '365 days' };

/** The option in its recorded form. Throws ConfigError naming `what`. */
export function recordedAskTimeout(option: z.output<typeof askTimeoutOption>, what: string): AskTimeout {
  const { after, unanswered } =
    typeof option === 'object' ? option : { after: option, unanswered: 'observe' as const };
  return { afterMs: timeout(after, what, ASK), unanswered };
}
