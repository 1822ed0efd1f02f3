import { z } from 'zod/v4';
import { liveProblem } from '../features/live/brokers.ts';
import type { LiveOption } from '../features/live/live-channel.ts';

/** The option `live` of a config. A problem does not quote the URL, which may have a password. */
export const liveSchema = z.custom<LiveOption>().superRefine((value, { addIssue }) => {
  const problem = liveProblem(value);
  if (problem !== undefined) addIssue({ code: 'custom', message: problem });
});
