import { ActivityTask } from './activity-task.ts';
import { type Command, protos } from './sdk.ts';
import type { Execution } from './execution.ts';

/** Does what a command of a finished workflow task asks for, with its event. */
export function applyCommand(execution: Execution, command: Command): void {
  if (command.startTimer) execution.timers.start(command);
  else if (command.cancelTimer) execution.timers.cancel(command);
  else if (command.scheduleActivity) scheduleActivity(execution, command);
  else if (command.requestCancelActivity) cancelActivity(execution, command);
  else if (command.startChildWorkflowExecution) execution.relations.start(command);
  else if (command.signalExternalWorkflowExecution) execution.relations.signal(command);
  else if (command.requestCancelExternalWorkflowExecution) execution.relations.cancel(command);
  else if (command.upsertWorkflowSearchAttributes) upsertAttributes(execution, command);
  else if (command.modifyWorkflowProperties) modifyMemo(execution, command);
  else if (command.updateResponse) execution.updates.respond(command);
  else if (command.completeWorkflowExecution) complete(execution, command);
  else if (command.failWorkflowExecution) fail(execution, command);
  else if (command.cancelWorkflowExecution) cancel(execution);
  else if (command.continueAsNewWorkflowExecution) continueAsNew(execution, command);
  else if (!isLocal(command))
    throw new Error(`The simulator does not know the command ${Object.keys(command).join(', ')}`);
}

const { TRY_CANCEL } = protos.coresdk.workflow_commands.ActivityCancellationType;

/** Recorded as a marker, or not at all. */
function isLocal(command: Command): boolean {
  return Boolean(
    command.setPatchMarker ??
    command.scheduleLocalActivity ??
    command.requestCancelLocalActivity ??
    // A signal that has been sent cannot be taken back.
    command.cancelSignalWorkflow,
  );
}

function scheduleActivity(execution: Execution, { scheduleActivity: given, userMetadata }: Command): void {
  if (!given) return;
  const { seq, activityType, headers, arguments: args, ...rest } = given;
  const attributes = {
    activityId: rest.activityId ?? null,
    activityType: { name: activityType ?? null },
    taskQueue: { name: rest.taskQueue || execution.request.taskQueue },
    header: { fields: headers ?? {} },
    input: { payloads: args ?? [] },
    scheduleToCloseTimeout: rest.scheduleToCloseTimeout ?? null,
    scheduleToStartTimeout: rest.scheduleToStartTimeout ?? null,
    startToCloseTimeout: rest.startToCloseTimeout ?? null,
    heartbeatTimeout: rest.heartbeatTimeout ?? null,
    retryPolicy: rest.retryPolicy ?? null,
  };
  const id = execution.add(
    'EVENT_TYPE_ACTIVITY_TASK_SCHEDULED',
    { activityTaskScheduledEventAttributes: attributes },
    userMetadata,
  );
  const isTryCancel = (rest.cancellationType ?? TRY_CANCEL) === TRY_CANCEL;
  const activity = new ActivityTask(execution, Number(seq), id, attributes, isTryCancel);
  execution.scheduled.set(id, { seq: Number(seq), isTryCancel });
  execution.activities.set(Number(seq), activity);
  execution.server.dispatchActivity(activity);
}

function cancelActivity(execution: Execution, { requestCancelActivity: given }: Command): void {
  if (!given) return;
  const activity = execution.activities.get(Number(given.seq));
  if (activity === undefined) return;
  execution.add('EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED', {
    activityTaskCancelRequestedEventAttributes: {
      scheduledEventId: activity.scheduledEventId as never,
    },
  });
  activity.requestCancel();
}

function upsertAttributes(execution: Execution, { upsertWorkflowSearchAttributes: given }: Command): void {
  if (!given) return;
  const { searchAttributes } = given;
  const indexedFields = searchAttributes?.indexedFields ?? {};
  Object.assign(execution.searchAttributes, indexedFields);
  execution.add('EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES', {
    upsertWorkflowSearchAttributesEventAttributes: { searchAttributes: { indexedFields } },
  });
}

function modifyMemo(execution: Execution, { modifyWorkflowProperties: given }: Command): void {
  if (!given) return;
  const { upsertedMemo } = given;
  const fields = upsertedMemo?.fields ?? {};
  for (const [name, payload] of Object.entries(fields)) {
    if (!payload.data?.length) delete execution.memo[name];
    else execution.memo[name] = payload;
  }
  execution.add('EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED', {
    workflowPropertiesModifiedEventAttributes: { upsertedMemo: { fields } },
  });
}

function complete(execution: Execution, { completeWorkflowExecution: given }: Command): void {
  if (!given) return;
  const { result } = given;
  execution.add('EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED', {
    workflowExecutionCompletedEventAttributes: { result: { payloads: result ? [result] : [] } },
  });
  execution.close({ type: 'completed', result: result ?? undefined });
}

function fail(execution: Execution, { failWorkflowExecution: given }: Command): void {
  if (!given) return;
  const failure = given.failure ?? {};
  execution.add('EVENT_TYPE_WORKFLOW_EXECUTION_FAILED', {
    workflowExecutionFailedEventAttributes: { failure },
  });
  execution.close({ type: 'failed', failure });
}

function cancel(execution: Execution): void {
  execution.add('EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED', { workflowExecutionCanceledEventAttributes: {} });
  execution.close({ type: 'canceled' });
}

function continueAsNew(execution: Execution, { continueAsNewWorkflowExecution: command }: Command): void {
  if (!command) return;
  const newRunId = execution.server.newRunId();
  execution.add('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW', {
    workflowExecutionContinuedAsNewEventAttributes: {
      newExecutionRunId: newRunId,
      workflowType: { name: command.workflowType || execution.request.type },
      taskQueue: { name: command.taskQueue || execution.request.taskQueue },
      input: { payloads: command.arguments ?? [] },
    },
  });
  const memo = command.memo ?? {};
  const fields = command.searchAttributes?.indexedFields ?? {};
  execution.close({ type: 'continued', newRunId });
  const next = execution.server.begin(
    {
      ...execution.request,
      type: command.workflowType || execution.request.type,
      taskQueue: command.taskQueue || execution.request.taskQueue,
      args: command.arguments ?? [],
      headers: command.headers ?? {},
      memo: Object.keys(memo).length === 0 ? execution.memo : memo,
      searchAttributes: Object.keys(fields).length === 0 ? execution.searchAttributes : fields,
      continuedFrom: execution,
      resetTo: undefined,
    },
    newRunId,
  );
  const { parent } = execution.request;
  parent?.execution.relations.follow(parent.seq, next);
}
