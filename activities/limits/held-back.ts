import { ApplicationFailure } from '@temporalio/activity';
import { MODEL_LIMIT } from '../../agent/model-limits/lease-request.ts';

/** The failure of an attempt that waits for a limit or a budget. The model has not failed, so no other model is asked. */
export function heldBack(message: string, retryAfterMs: number): ApplicationFailure {
  const failure = ApplicationFailure.create({ type: MODEL_LIMIT, message });
  return Object.assign(failure, { heldBack: true, retryAfterMs });
}
