import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { msNumberToTs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import type { BegunAttempt } from '../../../../../features/recovery/worker/attempt-journal.ts';
import { goneAt } from '../../../../../agent/calls/failures.ts';
import {
  type FailingConnection,
  failOrphans,
  isLost,
} from '../../../../../features/recovery/worker/fail-orphans.ts';

type Pending = temporal.api.workflow.v1.IPendingActivityInfo;

const NOW = 1_000_000_000;
/** The server's clock is an hour ahead. */
const AHEAD = 3_600_000;
const of = { workflowId: 'run-1', runId: 'a-run', activityId: '1.1' };
const begun: BegunAttempt = {
  ...of,
  attempt: 2,
  taskQueue: 'reloop',
  identity: 'the worker',
  at: NOW - 60_000,
};

function pending(more: Partial<Pending> = {}): Pending {
  return {
    activityId: '1.1',
    state: 2,
    attempt: 2,
    lastWorkerIdentity: 'the worker',
    lastStartedTime: msNumberToTs(NOW + AHEAD - 60_000),
    lastHeartbeatTime: msNumberToTs(NOW + AHEAD - 4_000),
    activityOptions: { heartbeatTimeout: msNumberToTs(10_000), startToCloseTimeout: msNumberToTs(600_000) },
    ...more,
  };
}

test('the attempt that died is lost, whatever the clocks say', () => {
  expect(isLost(pending(), begun, NOW)).toBe(true);
});

const short = { startToCloseTimeout: msNumberToTs(60_500) };

test.each<[string, Partial<Pending>]>([
  ['a later attempt', { attempt: 3 }],
  ['an attempt of another worker', { lastWorkerIdentity: 'another' }],
  ['an attempt that has not started', { state: 1, lastStartedTime: null }],
  ['one that is to be cancelled', { state: 3 }],
  ['one that is to be paused', { state: 5 }],
  ['one that is about to be silent for too long', { lastHeartbeatTime: msNumberToTs(NOW + AHEAD - 9_500) }],
  ['one without a beat whose time is up', { lastHeartbeatTime: null }],
  ['one that is about to have lasted too long', { activityOptions: short }],
])('%s is not', (_what, more) => {
  expect(isLost(pending(more), begun, NOW)).toBe(false);
});

test('an attempt that no time-out ends is lost as well', () => {
  expect(isLost(pending({ activityOptions: null, lastHeartbeatTime: null }), begun, NOW)).toBe(true);
});

/** A server that knows one pending activity, and fails at the first `failures` questions. */
function server(activity: Pending, failures: object[] = []) {
  const answers: object[] = [];
  const resets: object[] = [];
  const connection = {
    withDeadline: (_deadline: unknown, fn: () => Promise<unknown>) => fn(),
    workflowService: {
      resetStickyTaskQueue: (request: object) => Promise.resolve(resets.push(request)),
      describeWorkflowExecution: async () => {
        const failure = failures.shift();
        if (failure !== undefined) throw Object.assign(new Error('no'), failure);
        return { pendingActivities: [activity] };
      },
      respondActivityTaskFailedById: (answer: object) => Promise.resolve(answers.push(answer)),
    },
  } as unknown as FailingConnection; // what is used of one
  return { connection, answers, resets };
}

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test('a lost attempt fails as by its heartbeat time-out, with what it had stored', async () => {
  const heartbeatDetails = { payloads: [{ data: new Uint8Array([1]) }] };
  const { connection, answers } = server(pending({ heartbeatDetails }));
  await failOrphans(connection, 'default', [begun]);
  const failure = { timeoutFailureInfo: { timeoutType: 4, lastHeartbeatDetails: heartbeatDetails } };
  const answer = { namespace: 'default', ...of, failure, lastHeartbeatDetails: heartbeatDetails };
  expect(answers).toMatchObject([answer]);
});

test("a lost attempt fails with the time of the report, by the server's clock", async () => {
  const { connection, answers } = server(pending());
  await failOrphans(connection, 'default', [begun]);
  expect(answers).toMatchObject([{ failure: { cause: { message: goneAt(NOW + AHEAD) } } }]);
});

test('the run of a lost attempt does not wait for the dead worker at its next workflow task', async () => {
  const { connection, resets } = server(pending());
  await failOrphans(connection, 'default', [begun, { ...begun, activityId: 'another' }]);
  const { workflowId, runId } = begun;
  expect(resets).toEqual([{ namespace: 'default', execution: { workflowId, runId } }]);
});

test('a server that does not answer is asked again, one that knows no such run is not', async () => {
  const later = server(pending(), [{ code: 14 }, { code: 14 }]);
  await failOrphans(later.connection, 'default', [begun]);
  expect(later.answers).toHaveLength(1);
  const never = server(pending(), [{ code: 5 }]);
  await failOrphans(never.connection, 'default', [begun]);
  expect(never.answers).toHaveLength(0);
});
