import { setTimeout as sleep } from 'node:timers/promises';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { aFewAtATime } from '../../../agent/values/concurrent.ts';
import { RECOVERY_SOURCE, goneAt } from '../../../agent/calls/failures.ts';
import { fieldOf } from '../../../agent/values/values.ts';
import type { BegunAttempt } from './attempt-journal.ts';

type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

/** The needed part of a connection. */
export type FailingConnection = Pick<NativeConnection, 'withDeadline'> & {
  workflowService: Pick<
    NativeConnection['workflowService'],
    'describeWorkflowExecution' | 'respondActivityTaskFailedById' | 'resetStickyTaskQueue'
  >;
};

/** `PENDING_ACTIVITY_STATE_STARTED`, `TIMEOUT_TYPE_HEARTBEAT`, and gRPC's NOT_FOUND. */
const STARTED = 2;
const HEARTBEAT = 4;
const NOT_FOUND = 5;

/**
 * An answer by id is for whichever attempt runs when it arrives: it arrives before a time-out can have started the next one. By
 * an attempt's token the server takes no failure but an application's.
 */
const ANSWER_MS = 500;
const UNTIL_TIMEOUT_MS = 1000;
/** Waits between tries while the server does not answer. After them, its own heartbeat time-out has come. */
const RETRY_MS = [250, 500, 1000, 2000, 4000];
/** Runs that are looked at at a time. */
const AT_A_TIME = 10;

/**
 * Reports the attempts that died with their worker to the server, so that the next ones start at once and not with the
 * heartbeat time-out. They fail as by that time-out, which the workflow and all readers know. Never throws: the server
 * times out the rest on its own.
 */
export async function failOrphans(
  connection: FailingConnection,
  namespace: string,
  attempts: readonly BegunAttempt[],
): Promise<void> {
  const runs = [...new Set(attempts.map(({ runId }) => runId))].map((runId) =>
    attempts.filter((attempt) => attempt.runId === runId),
  );
  await aFewAtATime(runs, AT_A_TIME, async (ofRun) => {
    for (const waitMs of [...RETRY_MS, 0]) {
      try {
        return await failThoseOfRun(connection, namespace, ofRun);
      } catch (error) {
        if (fieldOf(error, 'code') === NOT_FOUND) return;
        await sleep(waitMs, undefined, { ref: false });
      }
    }
  });
}

async function failThoseOfRun(
  connection: FailingConnection,
  namespace: string,
  attempts: readonly BegunAttempt[],
): Promise<void> {
  const { workflowService } = connection;
  const [{ workflowId, runId } = { workflowId: '', runId: '' }] = attempts;
  // The server would give the next workflow task to the dead worker, and to another one after 10 s.
  await workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId, runId } });
  for (const attempt of attempts) {
    // A new look for each: between a look and the answer nothing else should happen.
    const { pendingActivities } = await workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId, runId },
    });
    const pending = pendingActivities?.find(({ activityId }) => activityId === attempt.activityId);
    if (pending === undefined || !isLost(pending, attempt, Date.now())) continue;
    await connection.withDeadline(Date.now() + ANSWER_MS, () =>
      workflowService.respondActivityTaskFailedById({
        namespace,
        workflowId,
        runId,
        activityId: attempt.activityId,
        identity: attempt.identity,
        failure: deathOf(attempt, pending),
        lastHeartbeatDetails: pending.heartbeatDetails ?? null,
      }),
    );
  }
}

/** True if the pending attempt is the one that died, and still will be when the answer arrives. */
export function isLost(pending: PendingActivity, begun: BegunAttempt, now: number): boolean {
  const { state, attempt, lastWorkerIdentity, lastStartedTime } = pending;
  const startedAt = optionalTsToMs(lastStartedTime);
  if (startedAt === undefined || Number(state) !== STARTED) return false;
  if (attempt !== begun.attempt || lastWorkerIdentity !== begun.identity) return false;
  return timesOutAt(pending, startedAt) - serverTime(startedAt, begun, now) > UNTIL_TIMEOUT_MS;
}

/** The server's clock may differ: the server knows when the attempt started, and the journal when that was on this machine. */
function serverTime(startedAt: number, begun: BegunAttempt, now: number): number {
  return now - (begun.at - startedAt);
}

/** Time by the server's clock; Infinity for an attempt that no time-out ends. */
function timesOutAt({ lastHeartbeatTime, activityOptions }: PendingActivity, startedAt: number): number {
  const beatAt = Math.max(startedAt, optionalTsToMs(lastHeartbeatTime) ?? 0);
  const within = (since: number, ms: number | undefined) => (ms ? since + ms : Infinity); // 0: no time-out
  return Math.min(
    within(beatAt, optionalTsToMs(activityOptions?.heartbeatTimeout)),
    within(startedAt, optionalTsToMs(activityOptions?.startToCloseTimeout)),
  );
}

/** The failure as the server's own, with the attempt's record and the time of the report. */
function deathOf(begun: BegunAttempt, { heartbeatDetails, lastStartedTime }: PendingActivity) {
  const startedAt = optionalTsToMs(lastStartedTime) ?? begun.at;
  return {
    source: RECOVERY_SOURCE,
    message: `its worker, ${begun.identity}, died in the middle of it`,
    cause: { source: RECOVERY_SOURCE, message: goneAt(serverTime(startedAt, begun, Date.now())) },
    timeoutFailureInfo: { timeoutType: HEARTBEAT, lastHeartbeatDetails: heartbeatDetails ?? null },
  };
}
