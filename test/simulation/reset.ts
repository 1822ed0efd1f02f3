import { type ActivitySchedule, ActivityTask } from './activity-task.ts';
import type { Execution } from './execution.ts';
import { type HistoryEvent, protos } from './sdk.ts';

const { WorkflowTaskFailedCause } = protos.temporal.api.enums.v1;

/** A finished workflow task of an execution from which a reset may begin again. */
export interface ResetPoint {
  base: Execution;
  /** Index in the finished tasks of `base`. */
  task: number;
}

/**
 * Finished tasks before which nothing is open but activities and timers: what the server does about sub-agents and updates that are under
 * way is not simulated. None for an open sub-agent, and for an open
 * execution in which these are under way now.
 */
export function resetPoints(base: Execution): ResetPoint[] {
  if (base.isOpen && (base.request.parent !== undefined || !isQuiet(base.history))) return [];
  return base.tasks.finished.flatMap(({ startedEventId }, task) =>
    isQuiet(base.history.slice(0, startedEventId)) ? [{ base, task }] : [],
  );
}

/** Each of these begins with one event and ends with another, so that the counts are equal. */
function isQuiet(history: readonly HistoryEvent[]): boolean {
  let open = 0;
  for (const event of history) {
    if (
      event.startChildWorkflowExecutionInitiatedEventAttributes ??
      event.signalExternalWorkflowExecutionInitiatedEventAttributes ??
      event.requestCancelExternalWorkflowExecutionInitiatedEventAttributes ??
      event.workflowExecutionUpdateAcceptedEventAttributes
    )
      open++;
    if (
      event.startChildWorkflowExecutionFailedEventAttributes ??
      event.childWorkflowExecutionCompletedEventAttributes ??
      event.childWorkflowExecutionFailedEventAttributes ??
      event.childWorkflowExecutionCanceledEventAttributes ??
      event.childWorkflowExecutionTerminatedEventAttributes ??
      event.externalWorkflowExecutionSignaledEventAttributes ??
      event.signalExternalWorkflowExecutionFailedEventAttributes ??
      event.externalWorkflowExecutionCancelRequestedEventAttributes ??
      event.requestCancelExternalWorkflowExecutionFailedEventAttributes ??
      event.workflowExecutionUpdateCompletedEventAttributes
    )
      open--;
  }
  return open === 0;
}

/** Makes a new execution what the server makes of it in a reset: the history up to the point, and all that was pending there. */
export function restore(execution: Execution, { base, task }: ResetPoint): void {
  const point = base.tasks.finished[task];
  if (point === undefined) throw new Error(`No task ${task}`);
  const kept = base.history.slice(0, point.startedEventId);
  execution.copy(kept);
  for (const [id, scheduled] of base.scheduled) execution.scheduled.set(id, scheduled);
  execution.add('EVENT_TYPE_WORKFLOW_TASK_FAILED', {
    workflowTaskFailedEventAttributes: {
      scheduledEventId: point.scheduledEventId as never,
      startedEventId: point.startedEventId as never,
      cause: WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW,
      baseRunId: base.runId,
      newRunId: execution.runId,
    },
  });
  execution.tasks.restore(base.tasks, task);
  for (const event of kept) restoreFields(execution, event);
  const ended = new Set(kept.map(scheduleEndedBy));
  const cancelled = new Set(
    kept.map((event) => event.activityTaskCancelRequestedEventAttributes?.scheduledEventId).map(Number),
  );
  const fired = new Set(kept.map(timerEndedBy));
  for (const event of kept) {
    const id = Number(event.eventId);
    const { activityTaskScheduledEventAttributes: schedule, timerStartedEventAttributes: timer } = event;
    if (schedule && !ended.has(id)) beginAgain(execution, id, schedule, cancelled.has(id));
    if (timer && !fired.has(id)) execution.timers.restore(event);
  }
  for (const event of base.history.slice(point.startedEventId)) repeat(execution, event);
}

function restoreFields(execution: Execution, event: HistoryEvent): void {
  const { workflowPropertiesModifiedEventAttributes, upsertWorkflowSearchAttributesEventAttributes } = event;
  Object.assign(execution.memo, workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields);
  const { searchAttributes } = upsertWorkflowSearchAttributesEventAttributes ?? {};
  Object.assign(execution.searchAttributes, searchAttributes?.indexedFields);
}

/** An attempt of the earlier execution goes on, and nobody takes its result. */
function beginAgain(
  execution: Execution,
  id: number,
  schedule: ActivitySchedule,
  isCancelled: boolean,
): void {
  const scheduled = execution.scheduled.get(id);
  if (scheduled === undefined) throw new Error(`No schedule ${id}`);
  const activity = new ActivityTask(execution, scheduled.seq, id, schedule, scheduled.isTryCancel);
  activity.cancelRequested = isCancelled;
  execution.activities.set(scheduled.seq, activity);
  execution.server.dispatchActivity(activity);
}

function scheduleEndedBy(event: HistoryEvent): number {
  return Number(
    (
      event.activityTaskCompletedEventAttributes ??
      event.activityTaskFailedEventAttributes ??
      event.activityTaskTimedOutEventAttributes ??
      event.activityTaskCanceledEventAttributes
    )?.scheduledEventId,
  );
}

function timerEndedBy(event: HistoryEvent): number {
  return Number((event.timerFiredEventAttributes ?? event.timerCanceledEventAttributes)?.startedEventId);
}

/** Signals and updates after the point come again. */
function repeat(execution: Execution, event: HistoryEvent): void {
  const signal = event.workflowExecutionSignaledEventAttributes;
  if (signal) execution.signal(signal.signalName ?? '', signal.input?.payloads ?? []);
  const update =
    event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest ??
    event.workflowExecutionUpdateAdmittedEventAttributes?.request;
  if (update) execution.updates.repeat(update);
}
