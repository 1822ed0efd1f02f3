import { z } from 'zod/v4';
import type { AskTimeout } from '../agent/manifest.ts';
import { duration, timeout } from './duration.ts';
import { options } from './options.ts';

/** A duration, or with what comes then. */
export const askTimeoutOption = z.union(
  [duration, options({ after: duration, unanswered: z.enum(['observe', 'fail']).default('observe') })],
  "is neither a duration nor { after: '2h', unanswered: 'observe' | 'fail' }",
);

/** As it is recorded. Throws ConfigError naming `what`. */
export function recordedAskTimeout(option: z.output<typeof askTimeoutOption>, what: string): AskTimeout {
  const { after, unanswered } =
    typeof option === 'object' ? option : { after: option, unanswered: 'observe' as const };
  return { afterMs: timeout(after, what), unanswered };
}
