import type { ActivityTask } from './activity-task.ts';
import type { Failure, Payload, coresdk } from './sdk.ts';

export type ActivityResult =
  | { type: 'completed'; result: Payload | undefined }
  | { type: 'failed' | 'timedOut'; failure: Failure }
  | { type: 'canceled'; details: Payload[] | undefined };

/** Records how an activity ended, and resolves it in its workflow. */
export function endActivity(activity: ActivityTask, result: ActivityResult, retryState: number): void {
  const { execution } = activity;
  const { seq, scheduledEventId, attempt, identity, lastFailure } = activity;
  execution.receive(() => {
    execution.activities.delete(seq);
    // As on the server, which writes the start of an attempt when the activity is over.
    const startedEventId =
      activity.startedAt === 0
        ? 0
        : execution.add('EVENT_TYPE_ACTIVITY_TASK_STARTED', {
            activityTaskStartedEventAttributes: {
              scheduledEventId: scheduledEventId as never,
              identity,
              requestId: activity.token,
              attempt,
              ...(lastFailure === undefined ? {} : { lastFailure }),
            },
          });
    const ids = { scheduledEventId: scheduledEventId as never, startedEventId: startedEventId as never };
    const wrapped = (cause: Failure): Failure => ({
      message: 'Activity task failed',
      cause,
      activityFailureInfo: {
        ...ids,
        identity,
        activityType: activity.schedule.activityType ?? null,
        activityId: activity.schedule.activityId ?? null,
        retryState,
      },
    });
    let resolution: coresdk.activity_result.IActivityResolution;
    switch (result.type) {
      case 'completed':
        execution.add('EVENT_TYPE_ACTIVITY_TASK_COMPLETED', {
          activityTaskCompletedEventAttributes: {
            ...ids,
            identity,
            result: { payloads: result.result === undefined ? [] : [result.result] },
          },
        });
        resolution = { completed: { result: result.result ?? null } };
        break;
      case 'failed':
        execution.add('EVENT_TYPE_ACTIVITY_TASK_FAILED', {
          activityTaskFailedEventAttributes: { ...ids, identity, failure: result.failure, retryState },
        });
        resolution = { failed: { failure: wrapped(result.failure) } };
        break;
      case 'timedOut':
        execution.add('EVENT_TYPE_ACTIVITY_TASK_TIMED_OUT', {
          activityTaskTimedOutEventAttributes: { ...ids, failure: result.failure, retryState },
        });
        resolution = { failed: { failure: wrapped(result.failure) } };
        break;
      case 'canceled': {
        const details = { payloads: result.details ?? [] };
        execution.add('EVENT_TYPE_ACTIVITY_TASK_CANCELED', {
          activityTaskCanceledEventAttributes: { ...ids, identity, details },
        });
        resolution = {
          cancelled: {
            failure: wrapped({ message: 'Activity cancelled', canceledFailureInfo: { details } }),
          },
        };
      }
    }
    // The workflow was answered when it cancelled the activity.
    if (activity.cancelRequested && activity.isTryCancel) return;
    execution.addJob({ resolveActivity: { seq, result: resolution } });
  });
}
