import {
  ActivityCancellationType,
  ChildWorkflowFailure,
  TerminatedFailure,
  isCancellation,
  patched,
  proxyActivities,
} from '@temporalio/workflow';
import { type RunEnd, type SucceedingRun, AWAIT_SUCCESSOR } from '../agent/successor.ts';
import { HEARTBEAT_TIMEOUT } from './activity-options.ts';
import type { RecordedResult } from './messages.ts';
import { endOfAttempt, runFailure } from './run-failure.ts';

interface SuccessorActivity {
  [AWAIT_SUCCESSOR](run: SucceedingRun): Promise<RunEnd>;
}

/**
 * A child's result. A child that a rewind has terminated goes on as another run of its id, which is nobody's child: an
 * activity waits for that one's end. Any other failure is the child's own.
 */
export async function orItsSuccessor(
  workflowId: string,
  child: Promise<RecordedResult>,
): Promise<RecordedResult> {
  try {
    return await child;
  } catch (failure) {
    const runId = terminatedRun(failure);
    if (runId === undefined || !patched('await-successor')) throw failure;
    const end = await successorEnd({ workflowId, runId });
    if (end.type === 'none') throw failure;
    if (end.type === 'failed') throw runFailure(end.error);
    return end.result;
  }
}

function terminatedRun(failure: unknown): string | undefined {
  if (!(failure instanceof ChildWorkflowFailure) || !(failure.cause instanceof TerminatedFailure))
    return undefined;
  return failure.execution.runId ?? undefined;
}

/** Who cancels the wait cancels the run that is waited for, as it would be with a child. */
async function successorEnd(run: SucceedingRun): Promise<RunEnd> {
  const activities = proxyActivities<SuccessorActivity>({
    activityId: `successor-of-${run.runId}`,
    summary: run.workflowId,
    // As long as a run may take, which may wait for a person.
    startToCloseTimeout: '3650 days',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
  try {
    return await activities[AWAIT_SUCCESSOR](run);
  } catch (caught) {
    const failure = endOfAttempt(caught);
    if (isCancellation(failure)) throw failure;
    throw caught;
  }
}
