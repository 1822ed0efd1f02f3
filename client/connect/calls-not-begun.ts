import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { parseActivityId } from '../../agent/calls/calls.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { calledIn } from '../../history/read/scheduled-call.ts';
import type { RunRef } from '../../history/read/pages.ts';
import type { CallNotBegun } from '../report.ts';
import { livePollers } from './task-queue.ts';

type Description = Pick<
  temporal.api.workflowservice.v1.IDescribeWorkflowExecutionResponse,
  'pendingActivities' | 'executionConfig'
>;

/** Temporal's number for an activity that no worker has taken. */
const SCHEDULED = 1;

/** Calls of a run that no worker can begin: no worker polls their task queue. */
export async function callsNotBegun(client: Client, { workflowId, runId }: RunRef): Promise<CallNotBegun[]> {
  const description = await client.workflowService.describeWorkflowExecution({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
  });
  return notBegunIn(description, (taskQueue) => livePollers(client, taskQueue, 'activity'));
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
