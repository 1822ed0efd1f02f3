import { ApplicationFailure } from '@temporalio/activity';
import type { ModelError } from '../models/model.ts';
import type { JudgedError } from './attempt.ts';

/**
 * The one map from what is thrown to what is recorded: type, message, and whether trying again makes sense. Errors are
 * told by name, not by class: a config may bring its own copy of the package.
 */
export function judge(error: unknown): JudgedError {
  if (error instanceof ApplicationFailure) {
    return {
      type: error.type ?? 'ApplicationFailure',
      message: error.message,
      retryable: error.nonRetryable !== true,
    };
  }
  if (isModelError(error)) {
    const { type, message, retryable, retryAfterMs } = error;
    return { type, message, retryable, retryAfterMs };
  }
  if (error instanceof Error) {
    // A tool's error may say that trying again cannot help (a missing key), or when it could.
    const { retryable, retryAfterMs } = error as { retryable?: unknown; retryAfterMs?: unknown };
    return {
      type: error.name,
      message: error.message,
      retryable: retryable !== false,
      retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    };
  }
  return { type: 'Error', message: String(error), retryable: true };
}

function isModelError(error: unknown): error is ModelError {
  return error instanceof Error && error.name === 'ModelError' && 'retryable' in error;
}
