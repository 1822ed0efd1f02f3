import type { FailureDetails } from '../../agent/calls/calls.ts';
import type { ErrorInfo, Usage } from '../../agent/values/vocabulary.ts';
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
} from '@temporalio/workflow';
import { readFailure } from '../../agent/calls/failures.ts';

/** Makes the failure of a run. It has the error's type, so that clients can test the type. */
export function runFailure(error: ErrorInfo): ApplicationFailure {
  return ApplicationFailure.create({ ...error, nonRetryable: true });
}

/** Adds the run's usage to its failure, for the parent's counters. */
export function withUsage(failure: unknown, usage: Usage): unknown {
  if (!(failure instanceof ApplicationFailure)) return failure;
  const { type, message } = failure;
  const details: FailureDetails[] = [{ usage }];
  return ApplicationFailure.create({ type: type ?? 'Error', message, details, nonRetryable: true });
}

/** Makes the run's failure from an activity's failure. A cancellation stays a cancellation. */
export function asRunFailure(failure: unknown): unknown {
  const ended = normalizeCancellation(failure);
  return isCancellation(ended) ? ended : runFailure(readFailure(ended).error);
}

/**
 * Returns the failure, or a CancelledFailure if the activity's cancellation was requested: Temporal does not retry such an activity, even
 * if the attempt failed, or its worker died, before the attempt noticed the cancellation.
 */
export function normalizeCancellation(failure: unknown): unknown {
  const isCancelled = failure instanceof ActivityFailure && failure.retryState === 'CANCEL_REQUESTED';
  return isCancelled ? new CancelledFailure('The call was cancelled') : failure;
}

/** Returns true if a child could not be started because another run has its id. */
export function isAlreadyStarted(failure: unknown): boolean {
  return failure instanceof Error && failure.name === 'WorkflowExecutionAlreadyStartedError';
}

/** Returns true for the error by which the SDK continues as new. The run has not failed. */
export function isContinueAsNew(failure: unknown): boolean {
  return failure instanceof Error && failure.name === 'ContinueAsNew';
}

/** Resolves to undefined if `work` fails. Rejects if the scope is cancelled. */
export async function unlessCancelled<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (failure) {
    if (CancellationScope.current().consideredCancelled) throw failure;
    return undefined;
  }
}
