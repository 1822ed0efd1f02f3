import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  RetryState,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../../../activities/attempt/attempt.ts';
import { onceGuard } from '../../../../activities/tool/once.ts';
import { readFailure } from '../../../../agent/calls/failures.ts';

const app = (message: string, more: { type?: string; details?: unknown[] } = {}) =>
  ApplicationFailure.create({ message, ...more });

const heartbeat = { failures: 2, checkpoint: { page: 7 } };

describe('the failure of an activity', () => {
  const DIED = 'its worker died or stopped answering in the middle of the call';
  const KILLED = "the sub-agent's run was terminated";
  test.each<[what: string, cause: Error, type: string, message: string]>([
    ['keeps its own type', app('slow down', { type: 'ModelRateLimited' }), 'ModelRateLimited', 'slow down'],
    ['without a type is an Error', app('oops'), 'Error', 'oops'],
    ['by its own time-out', timeout('START_TO_CLOSE'), 'Timeout', 'it took longer than its time-out'],
    ['by its worker', timeout('HEARTBEAT'), 'Timeout', DIED],
    ['by a time-out of the server', timeout('SCHEDULE_TO_START'), 'Timeout', 'activity timed out'],
    ['by the end of a sub-agent', new TerminatedFailure('ended'), 'Terminated', KILLED],
    ['by an error of the language', new TypeError('not a function'), 'Error', 'not a function'],
  ])('%s', (_what, cause, type, message) => {
    const timedOut = type === 'Timeout' || undefined;
    const read = { error: { type, message }, checkpoint: undefined, mayPass: timedOut === true, timedOut };
    expect(readFailure(activityFailure(cause))).toEqual(read);
    expect(readFailure(cause)).toEqual(read);
  });

  test('by cancellation is a cancellation', () => {
    const read = { error: { type: 'Cancelled', message: 'stop' }, checkpoint: undefined, mayPass: false };
    expect(readFailure(activityFailure(new CancelledFailure('stop')))).toEqual(read);
    expect(readFailure(new CancelledFailure('stop'))).toEqual(read);
  });

  test.each<[what: string, cause: Error]>([
    ['with its last error', app('oops', { details: [heartbeat] })],
    ['with its last heartbeat', timeout('HEARTBEAT', heartbeat)],
  ])('carries the checkpoint of the tool: %s', (_what, cause) => {
    expect(readFailure(activityFailure(cause)).checkpoint).toEqual({ page: 7 });
  });

  test('carries what the runner knows of a call that may take effect once only', () => {
    const intent = { at: 1, attempt: 1 };
    const cause = app('oops', { details: [{ notDone: 'again' }] });
    expect(readFailure(activityFailure(cause))).toMatchObject({ notDone: 'again' });
    expect(readFailure(activityFailure(timeout('HEARTBEAT', { intent })))).toMatchObject({ intent });
  });

  test.each([
    ['Reloop', true],
    ['Server', undefined],
    [undefined, undefined],
  ])('reported by %s: its process is gone: %s', (source, processGone) => {
    const cause = Object.assign(timeout('HEARTBEAT'), { failure: { source } });
    expect(readFailure(activityFailure(cause)).processGone).toBe(processGone);
  });

  test.each([
    ['with its time', 'reported at 1970-01-01T00:03:20.000Z', 200_000],
    ['by an earlier version, without', undefined, undefined],
  ])('reported by the recovery %s', (_what, message, goneAtMs) => {
    const failure = { source: 'Reloop', cause: message === undefined ? null : { message } };
    const cause = Object.assign(timeout('HEARTBEAT'), { failure });
    expect(readFailure(activityFailure(cause)).goneAtMs).toBe(goneAtMs);
  });

  test('may pass when the runner says that the attempts are used up', () => {
    const cause = app('oops', { details: [{ exhausted: true }] });
    expect(readFailure(activityFailure(cause)).mayPass).toBe(true);
  });

  test.each([undefined, null, 'a text', 5, {}, { failures: 2 }])('may carry other details: %j', (details) => {
    const cause = app('oops', { details: [details] });
    expect(readFailure(activityFailure(cause)).checkpoint).toBeUndefined();
  });

  test('is read by names: a copy of another class, or of none, reads the same', () => {
    const cause = { name: 'ApplicationFailure', message: 'oops', type: 'Oops', details: [heartbeat] };
    const read = readFailure({ name: 'ActivityFailure', message: 'Activity task failed', cause });
    expect(read).toEqual({
      error: { type: 'Oops', message: 'oops' },
      checkpoint: { page: 7 },
      mayPass: false,
    });
  });

  test.each<[what: string, failure: unknown]>([
    ['without a cause', activityFailure(undefined)],
    ['that is nothing', undefined],
    ['that is a text', 'oops'],
    ['that is null', null],
  ])('%s is unknown', (_what, failure) => {
    const error = { type: 'Error', message: 'unknown error' };
    expect(readFailure(failure)).toEqual({ error, checkpoint: undefined, mayPass: false });
  });
});

describe('the usage of a failed call', () => {
  const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3, modelCalls: 1, cost: 0.5 };

  test.each<[what: string, details: unknown[], known: object | undefined]>([
    ['is known where the failure says so', [{ usage }], usage],
    ['is unknown where it does not', [{ checkpoint: 1 }], undefined],
    ['is unknown without details', [], undefined],
    ['is unknown where somebody else calls something so', [{ usage: 'much' }], undefined],
    ['is unknown where a part of it is not a number', [{ usage: { ...usage, totalTokens: '3' } }], undefined],
    ['is unknown where its cost is not a number', [{ usage: { ...usage, cost: null } }], undefined],
  ])('%s', (_what, details, known) => {
    const cause = app('oops', { details });
    expect(readFailure(activityFailure(cause)).usage).toEqual(known);
  });

  test('is known of a worker that died, by its last heartbeat', () => {
    expect(readFailure(activityFailure(timeout('HEARTBEAT', { usage }))).usage).toEqual(usage);
  });
});

function activityFailure(cause: Error | undefined): ActivityFailure {
  return new ActivityFailure('failed', 'search', '3.1', RetryState.MAXIMUM_ATTEMPTS_REACHED, 'w', cause);
}

function timeout(type: 'START_TO_CLOSE' | 'HEARTBEAT' | 'SCHEDULE_TO_START', lastHeartbeat?: unknown) {
  return new TimeoutFailure('activity timed out', lastHeartbeat, type);
}

/** The first attempt of a call; the server wants it to end when `commit` is asked for. */
function attempt(): Attempt {
  const times = { currentAttemptScheduledTimestampMs: 1, scheduledTimestampMs: 1 };
  const info = { attempt: 1, activityId: '1.1', ...times };
  const client = { workflow: { getHandle: () => ({ signal: () => Promise.resolve() }) } };
  const claims: ('paused' | undefined)[] = [undefined, 'paused'];
  const heartbeat = { record: {}, claim: () => Promise.resolve(claims.shift()), set: () => undefined };
  const context = { info, client, cancellationSignal: AbortSignal.abort() };
  return { context, heartbeat, signal: new AbortController().signal } as unknown as Attempt; // what the guard reads of it
}

test('a round that was refused says nothing of the next one, which may have had its effect', async () => {
  const guard = onceGuard(attempt(), 'pay', { maxAttempts: 2, initialMs: 1, backoff: 1, maximumMs: 1 });
  let rounds = 0;
  const running = guard.run(async () => {
    rounds++;
    if (rounds === 1) {
      await guard.commit().catch(() => undefined);
      throw Object.assign(new Error('not now'), { notDone: true });
    }
    throw new Error('the line went dead');
  });
  await expect(running).rejects.toMatchObject({ failure: { type: 'InDoubt' } });
  expect(rounds).toBe(2);
});
