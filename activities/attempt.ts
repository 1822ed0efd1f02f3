import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { RetryPolicy } from '../agent/manifest.ts';
import { type Clock, startClock } from './clock.ts';
import { type HeartbeatWriter, startHeartbeat } from './heartbeat.ts';

/** A failure as judged by whoever threw it. */
export interface JudgedError {
  type: string;
  message: string;
  retryable: boolean;
  retryAfterMs?: number | undefined;
}

/** One attempt of an activity. */
export interface Attempt {
  context: Context;
  heartbeat: HeartbeatWriter;
  /** The attempt's time-out; whoever hears from the other side restarts it. */
  clock: Clock;
  /** Aborted when the call is cancelled, timed out, or no longer ours. */
  signal: AbortSignal;
}

/** How an activity wants to be tried. */
export interface AttemptPolicy {
  retry: RetryPolicy;
  timeoutMs: number;
  /** What a time-out is called; without it a `Timeout` of the whole attempt. */
  timedOut?(timeoutMs: number): Error;
  judge(error: unknown): JudgedError;
}

/**
 * Runs one attempt, with heartbeats and its own time-out, and counts failures itself: Temporal counts attempts of any
 * end, so a worker that dies would use up a tool's attempts. The count lives in the heartbeat record, which outlasts
 * attempt and worker.
 */
export async function runAttempt<T>(
  policy: () => AttemptPolicy,
  body: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const heartbeat = startHeartbeat(context);
  const overdue = new AbortController();
  const clock = startClock(policy().timeoutMs, (timeoutMs) => {
    const { timedOut = tookTooLong(context) } = policy();
    overdue.abort(timedOut(timeoutMs));
  });
  const signal = AbortSignal.any([context.cancellationSignal, overdue.signal]);
  try {
    return await orAborted(body({ context, heartbeat, clock, signal }), signal);
  } catch (error) {
    if (context.cancellationSignal.aborted) throw new CancelledFailure('The call was cancelled');
    throw await toFailure(signal.aborted ? signal.reason : error, policy(), heartbeat);
  } finally {
    clock.stop();
    heartbeat.stop();
  }
}

/** Which attempt it was; nothing of a first one, which nearly all are. */
export function laterAttempt({ context }: Attempt): { attempt?: number } {
  return context.info.attempt > 1 ? { attempt: context.info.attempt } : {};
}

/** Ends with the signal even if the body does not. */
function orAborted<T>(body: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    body.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function toFailure(
  error: unknown,
  { judge, retry }: AttemptPolicy,
  heartbeat: HeartbeatWriter,
): Promise<Error> {
  const { type, message, retryable, retryAfterMs } = judge(error);
  const failures = (heartbeat.record.failures ?? 0) + 1;
  const { checkpoint } = heartbeat.record;
  const failure = {
    type,
    message,
    ...(error instanceof Error ? { cause: error } : {}),
    // The heartbeat record is lost with the last attempt; what the tool stored must not be.
    ...(checkpoint === undefined ? {} : { details: [{ checkpoint }] }),
  };
  if (!retryable || failures >= retry.maxAttempts) {
    return ApplicationFailure.create({ ...failure, nonRetryable: true });
  }
  // If this cannot be stored the attempt is lost anyway, and the next one counts from what is stored.
  await heartbeat.store({ failures, lastError: message }).catch(() => undefined);
  return ApplicationFailure.create({ ...failure, nextRetryDelay: retryAfterMs ?? backoff(retry, failures) });
}

function backoff({ initialMs, backoff: factor, maximumMs }: RetryPolicy, failures: number): number {
  return Math.min(maximumMs, initialMs * factor ** (failures - 1));
}

class TimeoutError extends Error {
  override name = 'Timeout';
}

function tookTooLong({ info }: Context): (timeoutMs: number) => Error {
  return (timeoutMs) =>
    new TimeoutError(`${info.activityType} took longer than its time-out of ${timeoutMs / 1000} s`);
}
