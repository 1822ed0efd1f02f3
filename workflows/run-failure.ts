import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import type { ErrorInfo } from '../agent/events.ts';
import { readFailure } from '../agent/failures.ts';

/** The run's own failure: its type is the cause's, so that clients can test by type. */
export function runFailure(error: ErrorInfo): ApplicationFailure {
  return ApplicationFailure.create({ ...error, nonRetryable: true });
}

/** An activity's failure becomes the run's; a cancellation stays one. */
export function asRunFailure(failure: unknown): unknown {
  return isCancellation(failure) ? failure : runFailure(readFailure(failure).error);
}
