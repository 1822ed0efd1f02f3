import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyLocalActivities,
  workflowInfo,
} from '@temporalio/workflow';
import { BUILD } from '../../agent/values/names.ts';

/** `failed`: it has failed, which another attempt may not; else it was no call for here. */
export type LocalEnd<R> = { type: 'done'; result: R } | { type: 'again'; failed: boolean };

/** Whether the worker of this task makes local calls. A worker with another build id does not. */
export function makesLocalCalls(): boolean {
  return workflowInfo().currentBuildId === BUILD;
}

/**
 * One attempt of an activity within the workflow task: no task of its own, and in history one event in place of six. History
 * keeps the result alone, so that has to say whose it is (LocalCall). A final failure is thrown, and a cancellation.
 */
export async function localCall<R>(name: string, args: unknown[], summary: string): Promise<LocalEnd<R>> {
  const activities = proxyLocalActivities<{ [name: string]: (...args: unknown[]) => Promise<R> }>({
    summary,
    scheduleToCloseTimeout: '5s',
    retry: { maximumAttempts: 1 },
  });
  try {
    // A proxy has every name.
    const result = await activities[name]?.(...args);
    return { type: 'done', result: result as R };
  } catch (failure) {
    if (isCancellation(failure)) throw failure;
    const cause = failure instanceof ActivityFailure ? failure.cause : failure;
    const isOurs = cause instanceof ApplicationFailure;
    if (isOurs && cause.nonRetryable === true) throw failure;
    return { type: 'again', failed: isOurs };
  }
}
