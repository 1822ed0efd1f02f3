import { ApplicationFailure } from '@temporalio/activity';
import { MODEL_LIMIT } from '../../agent/model-limits/lease-request.ts';
import type { Attempt } from '../attempt/attempt.ts';

/** The attempt may end before the request, any number of times. Other activities do not have attempts for that. */
export function mayLeave(
  { holdsBack }: { holdsBack?: true | undefined },
  { context: { info } }: Pick<Attempt, 'context'>,
): boolean {
  return holdsBack === true && info.activityType === 'callModel';
}

/** The failure of an attempt that waits for a limit or a budget. The model has not failed, so no other model is asked. */
export function heldBack(message: string, retryAfterMs: number): ApplicationFailure {
  const failure = ApplicationFailure.create({ type: MODEL_LIMIT, message });
  return Object.assign(failure, { heldBack: true, retryAfterMs });
}
