import type { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { type Attempt, AttemptEnd } from '../../../../activities/attempt/attempt.ts';
import { onceGuard } from '../../../../activities/tool/once.ts';

const retry = { maxAttempts: 1, initialMs: 500, backoff: 2, maximumMs: 10_000 };
const notDone = Object.assign(new Error('not done'), { notDone: true });
const timeout = Object.assign(new Error('too long'), { name: 'Timeout' });

/** Details of the failure of a call whose tool says that it did nothing: by itself, or when its signal aborts for this reason. */
async function detailsOf(reason?: Error): Promise<unknown> {
  const abort = new AbortController();
  const getHandle = () => ({ signal: () => Promise.resolve() });
  const info = { attempt: 1, scheduledTimestampMs: 1, currentAttemptScheduledTimestampMs: 1 };
  const context = {
    info: { ...info, activityId: '1.1' },
    client: { workflow: { getHandle } },
    cancellationSignal: reason instanceof CancelledFailure ? abort.signal : new AbortController().signal,
    cancellationDetails: undefined,
  } as unknown as Context; // what the guard reads
  const heartbeat = { record: {}, set: () => undefined, claim: () => Promise.resolve(undefined) };
  const attempt = { context, heartbeat, signal: abort.signal } as unknown as Attempt; // likewise
  const body = () => {
    abort.abort(reason);
    return Promise.reject(notDone);
  };
  const failed = await onceGuard(attempt, 'pay', retry)
    .run(reason === undefined ? () => Promise.reject(notDone) : body)
    .catch((error: unknown) => error);
  if (!(failed instanceof AttemptEnd)) throw new Error(`not an end: ${String(failed)}`);
  return (failed.failure as Error & { details: unknown[] }).details[0];
}

test.each<[what: string, reason: Error | undefined, notDone: 'again' | 'failed']>([
  ['fails by itself', undefined, 'failed'],
  ['is stopped by its time-out', timeout, 'failed'],
  ['is stopped with its worker', new CancelledFailure('WORKER_SHUTDOWN'), 'again'],
])('a call without effect whose tool %s counts as %j', async (_what, reason, expected) => {
  expect(await detailsOf(reason)).toMatchObject({ notDone: expected });
});
