import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { BUILD } from '../../agent/values/names.ts';

/** Outcome of a local call. `again`: schedule an activity. `failed`: the call failed with a retryable error; false: it cannot run locally. */
export type LocalOutcome<R> = { type: 'done'; result: R } | { type: 'again'; failed: boolean };

/** Returns true if this task's worker makes local calls. A worker with another build id does not. */
export function makesLocalCalls(): boolean {
  return workflowInfo().currentBuildId === BUILD;
}

/**
 * Makes one attempt of an activity within the workflow task: one history event instead of six. The event has only the result, so the
 * result names its call (LocalCall). Throws non-retryable failures and cancellations.
 */
export async function localCall<R>(name: string, args: unknown[], summary: string): Promise<LocalOutcome<R>> {
  const activities = proxyLocalActivities<{ [name: string]: (...args: unknown[]) => Promise<R> }>({
    summary,
    scheduleToCloseTimeout: '5s',
    retry: { maximumAttempts: 1 },
  });
  try {
    // The proxy has every name.
    const result = await activities[name]?.(...args);
    return { type: 'done', result: result as R };
  } catch (failure) {
    if (isCancellation(failure)) throw failure;
    const cause = failure instanceof ActivityFailure ? failure.cause : failure;
    const isThrown = cause instanceof ApplicationFailure;
    if (isThrown && cause.nonRetryable === true) throw failure;
    return { type: 'again', failed: isThrown };
  }
}
