import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { parseActivityId } from '../../agent/calls/calls.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { calledIn } from '../../history/read/scheduled-call.ts';
import type { RunRef } from '../../history/read/pages.ts';
import type { PausedCall } from '../../agent/run/events.ts';
import type { CallNotBegun, RunReport } from '../report.ts';
import { livePollers } from './task-queue.ts';
import { pausedCallsIn } from './paused-calls.ts';

type Description = Pick<
  temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse,
  'pendingActivities' | 'executionConfig'
>;

/** Temporal's number for an activity that no worker has taken. */
const SCHEDULED = 1;

/** Obstacles of a run's calls that history does not record. Without a field: there are none of that kind. */
export interface Obstacles {
  /** Calls that no worker can start: no worker polls their task queue. */
  notBegun?: CallNotBegun[];
  pausedCalls?: PausedCall[];
}

export async function obstaclesOf(client: Client, { workflowId, runId }: RunRef): Promise<Obstacles> {
  const description = await client.workflowService.describeWorkflowExecution({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
  });
  const notBegun = await notBegunIn(description, (taskQueue) => livePollers(client, taskQueue, 'activity'));
  const pausedCalls = await pausedCallsIn(client, workflowId, description);
  return { ...(notBegun.length > 0 && { notBegun }), ...(pausedCalls.length > 0 && { pausedCalls }) };
}

/** Adds the obstacles to the report of an open run. A run with a paused call is `paused`, where it is not said to wait. */
export function addObstacles(report: RunReport, obstacles: Obstacles): void {
  Object.assign(report, obstacles);
  if (obstacles.pausedCalls !== undefined && report.status === 'running') report.status = 'paused';
}

/** `pollersOf`: identities of the workers that poll a task queue for activities. */
export async function notBegunIn(
  { pendingActivities, executionConfig }: Description,
  pollersOf: (taskQueue: string) => Promise<readonly string[]>,
): Promise<CallNotBegun[]> {
  const own = executionConfig?.taskQueue?.name;
  const scheduled = (pendingActivities ?? []).flatMap((pending): CallNotBegun[] => {
    const { activityId, activityType, activityOptions, state } = pending;
    const id = parseActivityId(activityId ?? '');
    const taskQueue = activityOptions?.taskQueue?.name;
    if (id === undefined || Number(state) !== SCHEDULED || !taskQueue || taskQueue === own) return [];
    return [{ call: calledIn(id.scope, id.call), tool: activityType?.name ?? '', taskQueue }];
  });
  const queues = [...new Set(scheduled.map(({ taskQueue }) => taskQueue))];
  const polled = await aFewAtATime(queues, 4, async (queue) => (await pollersOf(queue)).length > 0);
  return scheduled.filter(({ taskQueue }) => polled[queues.indexOf(taskQueue)] === false);
}
