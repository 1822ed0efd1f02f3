import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { ActivityCancellationDetails } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { type Attempt, AttemptEnd, runAttempt } from '../../../../activities/attempt/attempt.ts';
import { classifyError } from '../../../../activities/attempt/errors.ts';

const policy = {
  retry: { maxAttempts: 3, initialMs: 500, backoff: 2, maximumMs: 10_000 },
  timeoutMs: 60_000,
  classify: classifyError,
  holdsBack: true,
};
const ATTEMPT = 2;

/** Runs an attempt whose body changes the record and ends so. Returns the failure, and the records that the SDK's worker was given. */
async function attempt(end: (attempt: Attempt, environment: MockActivityEnvironment) => unknown) {
  const info = { attempt: ATTEMPT, heartbeatDetails: { failures: 1, endedAt: 1, checkpoint: 'page 1' } };
  const environment = new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
  const given: unknown[] = [];
  environment.on('heartbeat', (record: unknown) => given.push(record));
  const body = async (one: Attempt) => {
    one.heartbeat.set({ checkpoint: 'page 7' });
    await end(one, environment);
    return 'done';
  };
  const ended = await environment.run(() => runAttempt(() => policy, body)).catch((error: unknown) => error);
  return { ended, given };
}

const fails = (error: unknown) => () => {
  throw error;
};
const stops =
  (details: Partial<ActivityCancellationDetails>) =>
  (_: Attempt, { cancel }: MockActivityEnvironment) =>
    cancel('CANCELLED', new ActivityCancellationDetails(details));
const heldBack = Object.assign(new Error('an outage'), { heldBack: true });

test.each<[what: string, end: Parameters<typeof attempt>[0], record: object]>([
  ['fails', fails(new Error('broken')), { failures: 2, lastError: 'broken' }],
  ['is held back', fails(heldBack), { failures: 1, waits: 1, lastError: 'an outage' }],
  ['is paused', stops({ paused: true }), { failures: 1 }],
  ['is reset', stops({ reset: true }), { failures: 1 }],
  ['ends with its worker', stops({ workerShutdown: true }), { failures: 1 }],
  ['ends with its worker, for no known reason', stops({}), { failures: 1 }],
  [
    'is lost before it begins',
    fails(new AttemptEnd(ApplicationFailure.create({ type: 'AttemptLost', message: 'lost' }))),
    { failures: 1 },
  ],
  [
    'is paused before it takes effect',
    fails(new AttemptEnd(new CancelledFailure('The call was paused'))),
    { failures: 1 },
  ],
])(
  'an attempt that %s hands its record to the SDK, whose worker sends it with the failure',
  async (_what, end, record) => {
    const { given, ended } = await attempt(end);
    expect(ended).toBeInstanceOf(Error);
    expect(given).toEqual([{ checkpoint: 'page 7', endedAt: ATTEMPT, heartbeats: 1, ...record }]);
  },
);

test.each<[what: string, end: Parameters<typeof attempt>[0]]>([
  ['completes', () => undefined],
  ['fails for good', fails(ApplicationFailure.nonRetryable('broken'))],
  ['fails for the last time', (one) => (one.heartbeat.set({ failures: 2 }), fails(new Error('broken'))())],
  ['is cancelled', stops({ cancelRequested: true })],
  ['is over for the server', stops({ notFound: true })],
])('an attempt that %s has none after it, and sends no heartbeat for one', async (_what, end) => {
  expect((await attempt(end)).given).toEqual([]);
});

test('an attempt that ends with its worker fails, because the SDK waits for the record of a failed attempt only', async () => {
  const { ended } = await attempt(stops({ workerShutdown: true }));
  expect(ended).toMatchObject({ name: 'ApplicationFailure', type: 'WorkerShutdown', nonRetryable: false });
});

test('a record that the SDK sends with the failure only is not counted as a heartbeat', async () => {
  const { given } = await attempt(async ({ heartbeat }) => {
    // The server cannot be reached: the SDK tries, too.
    await heartbeat.store({ checkpoint: 'page 8' }).catch(() => undefined);
    throw new Error('broken');
  });
  const [tried, last] = given as { heartbeats?: number; checkpoint?: string }[];
  expect(tried?.checkpoint).toBe('page 8');
  expect(last).toMatchObject({ heartbeats: tried?.heartbeats, failures: 2 });
});
