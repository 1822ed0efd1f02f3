import { setTimeout as sleep } from 'node:timers/promises';
import type { temporal } from '@temporalio/proto';
import type { NativeConnection } from '@temporalio/worker';
import { fieldOf } from '../agent/values.ts';
import type { BegunAttempt } from './attempt-journal.ts';

type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

/** What is needed of a connection. */
export interface FailingConnection {
  workflowService: Pick<
    NativeConnection['workflowService'],
    'describeWorkflowExecution' | 'respondActivityTaskFailed'
  >;
}

/** As the Web UI names it, and tests: the attempt was ended by us and not by the server's own time-out. */
export const FAILURE_SOURCE = 'Reloop';

/** `PENDING_ACTIVITY_STATE_STARTED`, `TIMEOUT_TYPE_HEARTBEAT`, and gRPC's NOT_FOUND. */
const STARTED = 2;
const HEARTBEAT = 4;
const NOT_FOUND = 5;

/** While the server does not answer; after that its own time-out has come. */
const RETRY_MS = [250, 500, 1000, 2000, 4000];
/** Runs that are looked at at a time. */
const AT_A_TIME = 10;

/**
 * Tells the server of attempts that died with their worker, so that the next ones begin at once and not with the heartbeat
 * time-out. They fail as by that time-out: whoever reads the run, the workflow first of all, knows what that means. Never
 * throws: what is not told the server finds out by itself.
 */
export async function failLostAttempts(
  connection: FailingConnection,
  namespace: string,
  attempts: readonly BegunAttempt[],
): Promise<void> {
  const runs = [...new Set(attempts.map(({ runId }) => runId))].map((runId) =>
    attempts.filter((attempt) => attempt.runId === runId),
  );
  const work = async () => {
    for (let ofRun = runs.pop(); ofRun !== undefined; ofRun = runs.pop()) {
      await failPatiently(connection, namespace, ofRun);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}

async function failPatiently(
  connection: FailingConnection,
  namespace: string,
  attempts: readonly BegunAttempt[],
): Promise<void> {
  for (const waitMs of [...RETRY_MS, 0]) {
    try {
      await failThoseOfRun(connection, namespace, attempts);
      return;
    } catch (error) {
      if (fieldOf(error, 'code') === NOT_FOUND) return;
      await sleep(waitMs, undefined, { ref: false });
    }
  }
}

async function failThoseOfRun(
  connection: FailingConnection,
  namespace: string,
  attempts: readonly BegunAttempt[],
): Promise<void> {
  const { workflowService } = connection;
  const [{ workflowId, runId } = { workflowId: '', runId: '' }] = attempts;
  for (const attempt of attempts) {
    // Anew for each: it may have been cancelled in the meantime.
    const { pendingActivities } = await workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId, runId },
    });
    const pending = pendingActivities?.find(({ activityId }) => activityId === attempt.activityId);
    if (pending === undefined || !isLost(pending, attempt)) continue;
    // By its token, not by its id: the answer can come too late, but never to another attempt.
    await workflowService.respondActivityTaskFailed({
      namespace,
      taskToken: Buffer.from(attempt.token, 'base64'),
      identity: attempt.identity,
      failure: deathOf(attempt, pending),
      lastHeartbeatDetails: pending.heartbeatDetails ?? null,
    });
  }
}

/** It still is the attempt that died, as far as the server knows. */
export function isLost(
  { state, attempt, lastWorkerIdentity }: PendingActivity,
  begun: BegunAttempt,
): boolean {
  return Number(state) === STARTED && attempt === begun.attempt && lastWorkerIdentity === begun.identity;
}

/** As the server's own, with what the attempt had stored. */
function deathOf({ identity }: BegunAttempt, { heartbeatDetails }: PendingActivity) {
  return {
    source: FAILURE_SOURCE,
    message: `its worker, ${identity}, died in the middle of it`,
    timeoutFailureInfo: { timeoutType: HEARTBEAT, lastHeartbeatDetails: heartbeatDetails ?? null },
  };
}
