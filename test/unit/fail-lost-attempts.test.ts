import { expect, test } from 'vitest';
import type { temporal } from '@temporalio/proto';
import type { BegunAttempt } from '../../worker/attempt-journal.ts';
import { type FailingConnection, failLostAttempts, isLost } from '../../worker/fail-lost-attempts.ts';

type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

const begun: BegunAttempt = {
  workflowId: 'run-1',
  runId: 'a-run',
  activityId: '1.1',
  attempt: 2,
  taskQueue: 'reloop',
  identity: 'the worker',
  token: 'dGhlIHRva2Vu',
};

function pending(more: Partial<Pending> = {}): Pending {
  return {
    activityId: '1.1',
    state: 2,
    attempt: 2,
    lastWorkerIdentity: 'the worker',
    ...more,
  };
}

test('the attempt that died is lost', () => {
  expect(isLost(pending(), begun)).toBe(true);
});

test.each<[string, Partial<Pending>]>([
  ['a later attempt', { attempt: 3 }],
  ['an attempt of another worker', { lastWorkerIdentity: 'another' }],
  ['an attempt that has not started', { state: 1 }],
  ['one that is to be cancelled', { state: 3 }],
  ['one that is to be paused', { state: 5 }],
])('%s is not', (_what, more) => {
  expect(isLost(pending(more), begun)).toBe(false);
});

/** A server that knows one pending activity, and fails at the first `failures` questions. */
function server(activity: Pending, failures: object[] = []) {
  const answers: object[] = [];
  const connection = {
    workflowService: {
      describeWorkflowExecution: () => {
        const failure = failures.shift();
        return failure === undefined
          ? Promise.resolve({ pendingActivities: [activity] })
          : Promise.reject(Object.assign(new Error('no'), failure));
      },
      respondActivityTaskFailed: (answer: object) => Promise.resolve(answers.push(answer)),
    },
  } as unknown as FailingConnection; // what is used of one
  return { connection, answers };
}

test('a lost attempt fails as by its heartbeat time-out, with what it had stored', async () => {
  const heartbeatDetails = { payloads: [{ data: new Uint8Array([1]) }] };
  const { connection, answers } = server(pending({ heartbeatDetails }));
  await failLostAttempts(connection, 'default', [begun]);
  expect(answers).toMatchObject([
    {
      namespace: 'default',
      taskToken: Buffer.from('the token'),
      failure: { timeoutFailureInfo: { timeoutType: 4, lastHeartbeatDetails: heartbeatDetails } },
      lastHeartbeatDetails: heartbeatDetails,
    },
  ]);
});

test('a server that does not answer is asked again, one that knows no such run is not', async () => {
  const later = server(pending(), [{ code: 14 }, { code: 14 }]);
  await failLostAttempts(later.connection, 'default', [begun]);
  expect(later.answers).toHaveLength(1);
  const never = server(pending(), [{ code: 5 }]);
  await failLostAttempts(never.connection, 'default', [begun]);
  expect(never.answers).toHaveLength(0);
});
