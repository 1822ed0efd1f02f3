import { ActivityCancellationType, type ActivityOptions } from '@temporalio/workflow';
import { limits } from '../agent/limits.ts';

/** Heartbeats come every second; a worker that misses ten is taken for dead. */
export const HEARTBEAT_TIMEOUT = '10s';

/** What Temporal grants an attempt on top of the time-out that the runner itself keeps. */
const GRACE_MS = 30_000;

/**
 * Options of an activity whose runner counts its failures and keeps its time-out (activities/attempt.ts). What Temporal
 * counts are attempts of any end, so its limit leaves room for workers that die; after a death there is nothing to wait
 * for. A cancelled activity is waited for: it ends within a second, or with its heartbeats.
 */
export function runnerOptions(maxAttempts: number, timeoutMs: number): ActivityOptions {
  return {
    startToCloseTimeout: timeoutMs + GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { maximumAttempts: maxAttempts + limits.deaths, initialInterval: 200, backoffCoefficient: 1 },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  };
}
