import { ApplicationFailure, CancelledFailure, Context, type Info } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import { limits } from '../../agent/values/limits.ts';
import type { RetryPolicy } from '../../agent/definition/manifest.ts';
import { orAborted } from '../../agent/values/concurrent.ts';
import { finiteMs } from '../../agent/values/values.ts';
import { type ClassifiedError, failureOf } from './errors.ts';
import { type HeartbeatWriter, startHeartbeat } from './heartbeat.ts';

export interface Attempt {
  context: Context;
  heartbeat: HeartbeatWriter;
  /** The attempt's time-out; restarted by each sign of life from the other side. */
  clock: Clock;
  /** Aborted when the call is cancelled, timed out, or no longer ours. */
  signal: AbortSignal;
  /**
   * Call before the attempt acts. Throws if the call was cancelled, or if the attempt is no longer this worker's: after a wait in which the
   * process may have stood still, or the run of a retried call may have ended, the server is asked.
   */
  mustBeOurs(): Promise<void>;
}

/** The time-out of one attempt. */
interface Clock {
  /** Starts the time again; it is `timeoutMs` long from now on where that is given. Does nothing after `stop`. */
  restart(timeoutMs?: number): void;
  stop(): void;
}

type AttemptRecord = Pick<Attempt, 'context' | 'heartbeat'>;

/** Longest wait after which the server is not asked again whether the attempt is still ours. */
const SHORT_WAIT_MS = 100;

/** Retry policy and time-out of an activity's attempts. */
export interface AttemptPolicy {
  retry: RetryPolicy;
  timeoutMs: number;
  /** The error of a time-out. Default: a `Timeout` of the whole attempt. */
  timedOut?(timeoutMs: number): Error;
  classify(error: unknown): ClassifiedError;
  /** An attempt that was held back before it sent anything does not count as failed. */
  holdsBack?: boolean | undefined;
  /** The body minds the signal itself and always ends. Otherwise the attempt ends with the signal, even if the body does not. */
  endsItself?: boolean | undefined;
}

/** Thrown by a body that has found the end of its attempt itself: `failure` is reported as it is. */
export class AttemptEnd extends Error {
  override name = 'AttemptEnd';
  readonly failure: Error;

  constructor(failure: Error) {
    super(failure.message);
    this.failure = failure;
  }
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
  const expiry = new AbortController();
  const clock = startClock(policy().timeoutMs, (timeoutMs) => {
    const { timedOut = tookTooLong(context) } = policy();
    expiry.abort(timedOut(timeoutMs));
  });
  const signal = AbortSignal.any([context.cancellationSignal, expiry.signal]);
  try {
    const state = { context, heartbeat, signal };
    let checkedAt = performance.now();
    const confirm = async () => {
      await confirmOurs(state);
      checkedAt = performance.now();
    };
    const attempt: Attempt = {
      ...state,
      clock,
      async mustBeOurs() {
        signal.throwIfAborted();
        const hasWaited = performance.now() - checkedAt > SHORT_WAIT_MS;
        if (hasWaited && (isOld(context) || isRetry(context))) await confirm();
      },
    };
    const result = isOld(context) ? confirm().then(() => body(attempt)) : body(attempt);
    return await (policy().endsItself === true ? result : orAborted(result, signal));
  } catch (error) {
    const failure = toFailure(error, policy(), { context, heartbeat, signal });
    if (!isLast(failure, context)) heartbeat.end();
    throw failure;
  } finally {
    clock.stop();
    heartbeat.stop();
  }
}

/** Calls `over` once, when `timeoutMs` have passed without a restart. Cuts the time to the longest that a timer can count. */
export function startClock(timeoutMs: number, over: (timeoutMs: number) => void): Clock {
  let currentMs = timeoutMs;
  let stopped = false;
  const start = () => setTimeout(() => over(currentMs), Math.min(currentMs, limits.timerMs));
  let timer = start();
  return {
    restart(nextMs = currentMs) {
      if (stopped) return;
      if (nextMs === currentMs) {
        timer.refresh();
        return;
      }
      clearTimeout(timer);
      currentMs = nextMs;
      timer = start();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** A worker that was stopped for a while may start an attempt that the server has already given to another worker. */
function isOld({ info }: Context): boolean {
  const { heartbeatTimeoutMs, currentAttemptScheduledTimestampMs } = info;
  return (
    heartbeatTimeoutMs !== undefined && Date.now() - currentAttemptScheduledTimestampMs > heartbeatTimeoutMs
  );
}

/** The worker of a retried call may have died, and its run may have been ended meanwhile. */
function isRetry({ info }: Context): boolean {
  return info.heartbeatTimeoutMs !== undefined && info.attempt > 1;
}

/** Asks the server, whose clock may be another: an attempt may also have waited long for a worker. */
async function confirmOurs({
  context,
  heartbeat,
  signal,
}: Pick<Attempt, 'context' | 'heartbeat' | 'signal'>): Promise<void> {
  await orAborted(heartbeat.store({}), signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    const message = `${context.info.activityType} was not started: the attempt is not this worker's any more`;
    throw new AttemptEnd(ApplicationFailure.create({ type: 'AttemptLost', message, cause: cause as Error }));
  });
}

/**
 * Number of the attempt, without those that were held back, and heartbeats of all attempts; empty for a first
 * attempt without heartbeats, which nearly all are.
 */
export function effortOf({ context, heartbeat }: AttemptRecord): { attempt?: number; heartbeats?: number } {
  const { heartbeats = 0, waits = 0 } = heartbeat.record;
  const attempt = context.info.attempt - waits;
  return { ...(attempt > 1 ? { attempt } : {}), ...(heartbeats > 0 ? { heartbeats } : {}) };
}

/**
 * Time at which the server scheduled the attempt, in milliseconds since 1970. Undefined for the first attempt of an activity, which has
 * the number 1 and the time of its activity. After `temporal activity reset` a later attempt has the number 1 too.
 */
export function attemptScheduledAt({
  attempt,
  scheduledTimestampMs,
  currentAttemptScheduledTimestampMs: at,
}: Pick<Info, 'attempt' | 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs'>):
  number | undefined {
  return attempt === 1 && at === scheduledTimestampMs ? undefined : at;
}

function toFailure(
  error: unknown,
  policy: AttemptPolicy,
  attempt: Pick<Attempt, 'context' | 'heartbeat' | 'signal'>,
): Error {
  const { context, signal } = attempt;
  if (error instanceof AttemptEnd) return error.failure;
  if (!context.cancellationSignal.aborted)
    return ownFailure(signal.aborted ? signal.reason : error, policy, attempt);
  const { cancelRequested, notFound, paused, reset } = context.cancellationDetails ?? {};
  const byServer = [cancelRequested, notFound, paused, reset].includes(true);
  return byServer ? cancelledFailure(attempt, 'The call was cancelled') : shutdownFailure();
}

/** The failure of an attempt that ended with an error, or by its time-out. It is counted in the heartbeat record. */
function ownFailure(error: unknown, policy: AttemptPolicy, { heartbeat }: AttemptRecord): Error {
  const classified = policy.classify(error);
  const isFailure = policy.holdsBack !== true || classified.heldBack !== true;
  const failures = (heartbeat.record.failures ?? 0) + (isFailure ? 1 : 0);
  const exhausted = classified.retryable && failures >= policy.retry.maxAttempts;
  const { checkpoint, usage, heartbeats } = heartbeat.record;
  if (!classified.retryable || exhausted) {
    const mayPass = exhausted || classified.mayPass === true;
    return failureOf(
      classified,
      { checkpoint, exhausted: mayPass || undefined, usage, heartbeats },
      { nonRetryable: true },
    );
  }
  const waits = isFailure ? undefined : { waits: (heartbeat.record.waits ?? 0) + 1 };
  heartbeat.set({ failures, lastError: classified.message, ...waits });
  const nextRetryDelay = nextWait(policy.retry, failures, classified.retryAfterMs);
  // The SDK logs no warning of an attempt that was held back.
  const category = isFailure ? undefined : { category: ApplicationFailureCategory.BENIGN };
  return failureOf(classified, { checkpoint }, { nextRetryDelay, ...category });
}

/** The end of an attempt that the server wanted to end. */
export function cancelledFailure({ heartbeat }: AttemptRecord, message: string): CancelledFailure {
  const { heartbeats } = heartbeat.record;
  return new CancelledFailure(message, heartbeats === undefined ? [] : [{ heartbeats }]);
}

/**
 * The end of an attempt whose worker ends. The SDK makes the same of a CancelledFailure, but does not wait then until it has the record
 * of the attempt. As there, the server's retry policy says when the next attempt starts.
 */
function shutdownFailure(): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'WorkerShutdown',
    message: 'Worker is shutting down and this activity did not complete in time',
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** No attempt follows: the failure is final, or the call is cancelled, or the server has already given the attempt up. */
function isLast(failure: Error, { cancellationDetails }: Context): boolean {
  const { cancelRequested = false, notFound = false } = cancellationDetails ?? {};
  return (
    cancelRequested || notFound || (failure instanceof ApplicationFailure && failure.nonRetryable === true)
  );
}

/**
 * Milliseconds until the next attempt: the backoff, or the server's wait if it is longer. Never 0: Temporal takes a
 * delay of 0 for "no further attempt".
 */
export function nextWait(
  { initialMs, backoff: factor, maximumMs }: RetryPolicy,
  failures: number,
  askedMs = 0,
): number {
  const grown = finiteMs(initialMs * factor ** (failures - 1)) ?? maximumMs; // a power soon has no number
  const backoff = Math.min(maximumMs, grown);
  return Math.min(Math.max(1, backoff, askedMs), limits.timerMs);
}

class TimeoutError extends Error {
  override name = 'Timeout';
}

function tookTooLong({ info }: Context): (timeoutMs: number) => Error {
  return (timeoutMs) =>
    new TimeoutError(`${info.activityType} took longer than its time-out of ${timeoutMs / 1000} s`);
}
