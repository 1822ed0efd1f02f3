import { setTimeout as sleep } from 'node:timers/promises';
import { CancelledFailure, Context } from '@temporalio/activity';
import { limits } from '../agent/limits.ts';
import type { RetryPolicy } from '../agent/manifest.ts';
import { finiteMs } from '../agent/values.ts';
import { type Clock, startClock } from './clock.ts';
import type { ClassifiedError } from './errors.ts';
import { failureOf } from './failure.ts';
import { type HeartbeatWriter, startHeartbeat } from './heartbeat.ts';

/** One attempt of an activity. */
export interface Attempt {
  context: Context;
  heartbeat: HeartbeatWriter;
  /** The attempt's time-out; whoever hears from the other side restarts it. */
  clock: Clock;
  /** Aborted when the call is cancelled, timed out, or no longer ours. */
  signal: AbortSignal;
}

type AttemptRecord = Pick<Attempt, 'context' | 'heartbeat'>;

/** How long a worker that is told to end waits for a last beat to be stored. */
const LAST_BEAT_MS = 1000;

/** How an activity wants to be tried. */
export interface AttemptPolicy {
  retry: RetryPolicy;
  timeoutMs: number;
  /** The error of a time-out. Default: a `Timeout` of the whole attempt. */
  timedOut?(timeoutMs: number): Error;
  classify(error: unknown): ClassifiedError;
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
  const overdue = new AbortController();
  const clock = startClock(policy().timeoutMs, (timeoutMs) => {
    const { timedOut = tookTooLong(context) } = policy();
    overdue.abort(timedOut(timeoutMs));
  });
  const signal = AbortSignal.any([context.cancellationSignal, overdue.signal]);
  try {
    const result = body({ context, heartbeat, clock, signal });
    return await (policy().endsItself === true ? result : orAborted(result, signal));
  } catch (error) {
    if (error instanceof AttemptEnd) throw error.failure;
    const state = { context, heartbeat };
    if (context.cancellationSignal.aborted) {
      await noteOrderlyEnd(state);
      throw cancelledFailure(state, 'The call was cancelled');
    }
    throw await toFailure(signal.aborted ? signal.reason : error, policy(), state);
  } finally {
    clock.stop();
    heartbeat.stop();
  }
}

/** Which attempt it was and how many heartbeats all have sent; nothing of a first one without, which nearly all are. */
export function effortOf({ context, heartbeat }: AttemptRecord): { attempt?: number; heartbeats?: number } {
  const { attempt } = context.info;
  const { heartbeats = 0 } = heartbeat.record;
  return { ...(attempt > 1 ? { attempt } : {}), ...(heartbeats > 0 ? { heartbeats } : {}) };
}

/** Ends with the signal even if the body does not. */
export function orAborted<T>(body: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    body.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function toFailure(error: unknown, policy: AttemptPolicy, attempt: AttemptRecord): Promise<Error> {
  const { context, heartbeat } = attempt;
  const classified = policy.classify(error);
  const failures = (heartbeat.record.failures ?? 0) + 1;
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
  // If this cannot be stored the attempt is lost anyway, and the next one counts from what is stored.
  const counted = { failures, lastError: classified.message, endedAt: context.info.attempt };
  await heartbeat.store(counted).catch(() => undefined);
  const nextRetryDelay = classified.retryAfterMs ?? backoff(policy.retry, failures);
  return failureOf(classified, { checkpoint }, { nextRetryDelay });
}

/** The end of an attempt that the server wanted to end. */
export function cancelledFailure({ heartbeat }: AttemptRecord, message: string): CancelledFailure {
  const { heartbeats } = heartbeat.record;
  return new CancelledFailure(message, heartbeats === undefined ? [] : [{ heartbeats }]);
}

/** An attempt that its worker's shutdown ends, or a pause, is none that a worker died of. */
async function noteOrderlyEnd({ context, heartbeat }: AttemptRecord): Promise<void> {
  const { cancelRequested = false, notFound = false } = context.cancellationDetails ?? {};
  if (cancelRequested || notFound) return;
  const stored = heartbeat.store({ endedAt: context.info.attempt }).catch(() => undefined);
  await Promise.race([stored, sleep(LAST_BEAT_MS, undefined, { ref: false })]);
}

export function backoff({ initialMs, backoff: factor, maximumMs }: RetryPolicy, failures: number): number {
  const wait = finiteMs(initialMs * factor ** (failures - 1)) ?? maximumMs; // a power soon has no number
  return Math.min(maximumMs, wait, limits.timerMs);
}

class TimeoutError extends Error {
  override name = 'Timeout';
}

function tookTooLong({ info }: Context): (timeoutMs: number) => Error {
  return (timeoutMs) =>
    new TimeoutError(`${info.activityType} took longer than its time-out of ${timeoutMs / 1000} s`);
}
