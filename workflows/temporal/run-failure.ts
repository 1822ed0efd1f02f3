import type { FailureDetails } from '../../agent/calls/calls.ts';
import type { ErrorInfo, Usage } from '../../agent/values/vocabulary.ts';
import { ActivityFailure, ApplicationFailure, CancelledFailure, isCancellation } from '@temporalio/workflow';

import { readFailure } from '../../agent/calls/failures.ts';

/** The run's own failure: its type is the cause's, so that clients can test by type. */
export function runFailure(error: ErrorInfo): ApplicationFailure {
  return ApplicationFailure.create({ ...error, nonRetryable: true });
}

/** The failure of a run whose parent counts what it has used up. */
export function withUsage(failure: unknown, usage: Usage): unknown {
  if (!(failure instanceof ApplicationFailure)) return failure;
  const { type, message } = failure;
  const details: FailureDetails[] = [{ usage }];
  return ApplicationFailure.create({ type: type ?? 'Error', message, details, nonRetryable: true });
}

/** An activity's failure becomes the run's; a cancellation stays one. */
export function asRunFailure(failure: unknown): unknown {
  const ended = endOfAttempt(failure);
  return isCancellation(ended) ? ended : runFailure(readFailure(ended).error);
}

/**
 * An activity whose cancellation was asked for is not tried again: an attempt that failed, or died with its worker, before
 * it heard of that ended as cancelled, not as failed.
 */
export function endOfAttempt(failure: unknown): unknown {
  const unheard = failure instanceof ActivityFailure && failure.retryState === 'CANCEL_REQUESTED';
  return unheard ? new CancelledFailure('The call was cancelled') : failure;
}

/** A child could not be started, because there is a run of its id. */
export function isAlreadyStarted(failure: unknown): boolean {
  return failure instanceof Error && failure.name === 'WorkflowExecutionAlreadyStartedError';
}

/** Not an end: the run goes on in the next history. */
export function isContinueAsNew(failure: unknown): boolean {
  return failure instanceof Error && failure.name === 'ContinueAsNew';
}
