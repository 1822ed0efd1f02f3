import { type Job, timestamp } from './sdk.ts';
import type { Execution } from './execution.ts';

/** Records the start of an execution, and gives its workflow the job that begins it. */
export function recordStart(execution: Execution): Job {
  const { request, runId, seed } = execution;
  const { parent, continuedFrom } = request;
  execution.add(
    'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED',
    {
      workflowExecutionStartedEventAttributes: {
        workflowType: { name: request.type },
        taskQueue: { name: request.taskQueue },
        input: { payloads: request.args },
        header: { fields: request.headers ?? {} },
        workflowTaskTimeout: { seconds: 10 as never },
        originalExecutionRunId: runId,
        firstExecutionRunId: execution.firstRunId,
        attempt: 1,
        identity: 'simulation',
        memo: { fields: request.memo },
        searchAttributes: { indexedFields: request.searchAttributes },
        ...(continuedFrom === undefined ? {} : { continuedExecutionRunId: continuedFrom.runId }),
        ...(parent === undefined
          ? {}
          : {
              parentWorkflowExecution: { workflowId: parent.execution.id, runId: parent.execution.runId },
              parentInitiatedEventId: parent.initiatedEventId as never,
            }),
      },
    },
    request.userMetadata,
  );
  return {
    initializeWorkflow: {
      workflowType: request.type,
      workflowId: execution.id,
      arguments: request.args,
      randomnessSeed: seed as never,
      headers: request.headers ?? {},
      identity: 'simulation',
      firstExecutionRunId: execution.firstRunId,
      attempt: 1,
      startTime: timestamp(execution.startedAt),
      memo: { fields: request.memo },
      searchAttributes: { indexedFields: request.searchAttributes },
      ...(continuedFrom === undefined ? {} : { continuedFromExecutionRunId: continuedFrom.runId }),
      ...(parent === undefined
        ? {}
        : {
            parentWorkflowInfo: {
              namespace: 'default',
              workflowId: parent.execution.id,
              runId: parent.execution.runId,
            },
          }),
    },
  };
}
