import { ApplicationFailure, type ApplicationFailureOptions } from '@temporalio/common';
import type { FailureDetails } from '../agent/calls.ts';
import type { ClassifiedError, RecordedError } from './errors.ts';

/** A failure of nothing but what can be recorded: the thrown error itself, with all that it may hold, stays here. */
export function failureOf(
  { type, message, frames, cause }: ClassifiedError,
  details: FailureDetails,
  next: Pick<ApplicationFailureOptions, 'nonRetryable' | 'nextRetryDelay'>,
): ApplicationFailure {
  const failure = ApplicationFailure.create({
    type,
    message,
    details: Object.values(details).every((detail) => detail === undefined) ? [] : [details],
    ...(cause === undefined ? {} : { cause: causeOf(cause) }),
    ...next,
  });
  failure.stack = frames;
  return failure;
}

function causeOf({ type, message, frames }: RecordedError): Error {
  const cause = ApplicationFailure.create({ type, message });
  cause.stack = frames;
  return cause;
}
