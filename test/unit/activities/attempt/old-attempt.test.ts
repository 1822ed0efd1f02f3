import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { defaultPayloadConverter } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Attempt, runAttempt } from '../../../../activities/attempt/attempt.ts';
import { classifyError } from '../../../../activities/attempt/errors.ts';

const SCHEDULED = Date.UTC(2026, 10, 22);
const HEARTBEAT_MS = 10_000;
const policy = {
  retry: { maxAttempts: 3, initialMs: 500, backoff: 2, maximumMs: 10_000 },
  timeoutMs: 60_000,
  classify: classifyError,
};
const loadedDataConverter = { payloadConverter: defaultPayloadConverter, payloadCodecs: [] };

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

type Body = (attempt: Attempt) => Promise<string>;

/** One attempt, begun so long after it was scheduled; `isOurs`: what the server says of it, after `answerMs`. */
async function begin(
  afterMs: number,
  isOurs: boolean,
  body = vi.fn<Body>(() => Promise.resolve('done')),
  answerMs = 0,
  attempt = 1,
) {
  vi.setSystemTime(SCHEDULED + afterMs);
  const recordActivityTaskHeartbeat = vi.fn<() => Promise<object>>(() => {
    if (answerMs > 0) vi.advanceTimersByTime(answerMs);
    return isOurs ? Promise.resolve({}) : Promise.reject(new Error('NOT_FOUND'));
  });
  const client = {
    options: { namespace: 'default', identity: 'here', loadedDataConverter },
    workflowService: { recordActivityTaskHeartbeat },
    withAbortSignal: (_signal: AbortSignal, call: () => unknown) => call(),
  };
  const info = { heartbeatTimeoutMs: HEARTBEAT_MS, currentAttemptScheduledTimestampMs: SCHEDULED, attempt };
  const options = { client: client as never, logger: new DefaultLogger('ERROR') };
  const ended = await new MockActivityEnvironment(info, options)
    .run(() => runAttempt(() => policy, body))
    .catch((error: unknown) => error);
  return { ended, begun: body.mock.calls.length, asked: recordActivityTaskHeartbeat.mock.calls.length };
}

test('an attempt that is older than its heartbeat time-out is not begun where the server has given it up', async () => {
  const { ended, begun } = await begin(HEARTBEAT_MS + 1, false);
  expect(begun).toBe(0);
  expect(ended).toBeInstanceOf(ApplicationFailure);
  expect(ended).toMatchObject({ type: 'AttemptLost' });
});

test('one that has waited long for a worker is begun', async () => {
  expect(await begin(HEARTBEAT_MS + 1, true)).toMatchObject({ ended: 'done', begun: 1, asked: 1 });
});

test('one that is younger is begun without a question to the server', async () => {
  expect(await begin(HEARTBEAT_MS, false)).toMatchObject({ ended: 'done', begun: 1, asked: 0 });
});

test('one that the server has just confirmed begins its tool without a second question', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const body = vi.fn<Body>(async ({ mustBeOurs }) => {
    await mustBeOurs();
    return 'done';
  });
  expect(await begin(HEARTBEAT_MS + 1, true, body, 1000)).toMatchObject({ ended: 'done', asked: 1 });
});

test.each([
  [false, 'AttemptLost'],
  [true, undefined],
])(
  'one whose process stands still before its tool begins asks the server, which says %s',
  async (isOurs, type) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const acted = vi.fn<() => void>();
    const body = vi.fn<Body>(async ({ mustBeOurs }) => {
      vi.advanceTimersByTime(HEARTBEAT_MS + 1);
      await mustBeOurs();
      acted();
      return 'done';
    });
    const { ended, asked } = await begin(0, isOurs, body);
    expect(asked).toBe(1);
    expect(acted.mock.calls.length).toBe(isOurs ? 1 : 0);
    expect((ended as { type?: string }).type).toBe(type);
  },
);

test.each([
  [1, 'done', 0],
  [2, { type: 'AttemptLost' }, 1],
])(
  'attempt %i, which waits before its tool begins, asks the server if it is a retry',
  async (n, end, times) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] });
    const body = vi.fn<Body>(async ({ mustBeOurs }) => {
      vi.advanceTimersByTime(500);
      await mustBeOurs();
      return 'done';
    });
    const { ended, asked } = await begin(0, false, body, 0, n);
    expect(asked).toBe(times);
    expect({ ended }).toMatchObject({ ended: end });
  },
);

test('one that was cancelled before its tool begins does not begin the tool', async () => {
  const acted = vi.fn<() => void>();
  const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
  const body = async ({ mustBeOurs }: Attempt) => {
    environment.cancel();
    await mustBeOurs();
    acted();
  };
  const ended = await environment.run(() => runAttempt(() => policy, body)).catch((error: unknown) => error);
  expect(acted).not.toHaveBeenCalled();
  expect(ended).toBeInstanceOf(CancelledFailure);
});
