import type { Execution } from './execution.ts';
import { protos, timestamp } from './sdk.ts';

const { PendingActivityState, WorkflowExecutionStatus } = protos.temporal.api.enums.v1;

const statuses = {
  completed: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED,
  failed: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED,
  canceled: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CANCELED,
  terminated: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED,
  continued: WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW,
};

/** An execution as `DescribeWorkflowExecution` tells it. */
export function describe(execution: Execution) {
  const { end, request } = execution;
  return {
    executionConfig: { taskQueue: { name: request.taskQueue } },
    workflowExecutionInfo: {
      execution: { workflowId: execution.id, runId: execution.runId },
      type: { name: request.type },
      startTime: timestamp(execution.startedAt),
      executionTime: timestamp(execution.startedAt),
      ...(execution.closedAt === undefined ? {} : { closeTime: timestamp(execution.closedAt) }),
      status:
        end === undefined ? WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING : statuses[end.type],
      historyLength: execution.history.length as never,
      historySizeBytes: execution.historyBytes as never,
      memo: { fields: execution.memo },
      searchAttributes: { indexedFields: execution.searchAttributes },
      taskQueue: request.taskQueue,
      firstRunId: execution.firstRunId,
      rootExecution: { workflowId: execution.id, runId: execution.runId },
      ...(request.parent === undefined
        ? {}
        : {
            parentExecution: {
              workflowId: request.parent.execution.id,
              runId: request.parent.execution.runId,
            },
          }),
    },
    ...(execution.resetRunId === undefined
      ? {}
      : { workflowExtendedInfo: { resetRunId: execution.resetRunId } }),
    pendingActivities: [...execution.activities.values()].map((activity) => ({
      activityId: activity.schedule.activityId,
      activityType: activity.schedule.activityType,
      state: activity.cancelRequested
        ? PendingActivityState.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED
        : activity.state === 'started'
          ? PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
          : PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED,
      ...(activity.heartbeatDetails === undefined
        ? {}
        : { heartbeatDetails: { payloads: activity.heartbeatDetails } }),
      ...(activity.lastHeartbeatAt === undefined
        ? {}
        : { lastHeartbeatTime: timestamp(activity.lastHeartbeatAt) }),
      lastStartedTime: timestamp(activity.startedAt),
      attempt: activity.attempt,
      activityOptions: {
        heartbeatTimeout: activity.schedule.heartbeatTimeout,
        startToCloseTimeout: activity.schedule.startToCloseTimeout,
      },
      maximumAttempts: activity.schedule.retryPolicy?.maximumAttempts ?? 0,
      scheduledTime: timestamp(activity.attemptScheduledAt),
      ...(activity.lastFailure === undefined ? {} : { lastFailure: activity.lastFailure }),
      lastWorkerIdentity: activity.identity,
    })),
    pendingChildren: [],
    ...(execution.tasks.state === 'none'
      ? {}
      : { pendingWorkflowTask: { state: 1, attempt: execution.tasks.attempt } }),
  };
}
