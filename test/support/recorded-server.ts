import { Client, type ConnectionLike } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { notFound } from '../simulation/service-error.ts';
import type { RecordedHistory } from './recorded-histories.ts';

const { EventType, WorkflowExecutionStatus } = temporal.api.enums.v1;

type Event = temporal.api.history.v1.IHistoryEvent;
type Start = temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest;
interface Named {
  execution: temporal.api.common.v1.IWorkflowExecution;
}

/** A client whose server holds recorded histories, and what it was asked to start. A run that is not among them is past its retention. */
export function recordedServer(recorded: readonly RecordedHistory[]): { client: Client; started: Start[] } {
  const started: Start[] = [];
  const found = ({ workflowId, runId }: Named['execution']) => {
    const [one] = recorded
      .filter(({ run }) => run.workflowId === workflowId && (!runId || run.runId === runId))
      .toSorted((a, b) => begunAt(b) - begunAt(a));
    if (one === undefined) throw notFound('workflow');
    return one;
  };
  const workflowService = {
    getWorkflowExecutionHistory: async ({ execution }: Named) => ({ history: found(execution).history }),
    async getWorkflowExecutionHistoryReverse({ execution }: Named) {
      const { events } = found(execution).history;
      return { history: { events: events?.toReversed() } };
    },
    describeWorkflowExecution: async ({ execution }: Named) => descriptionOf(found(execution)),
    async startWorkflowExecution(request: Start) {
      started.push(request);
      return { runId: 'new' };
    },
  };
  const connection: ConnectionLike = {
    workflowService: workflowService as unknown as ConnectionLike['workflowService'],
    operatorService: undefined as never, // nobody asks it
    plugins: [],
    close: async () => undefined,
    ensureConnected: async () => undefined,
    withDeadline: (_deadline, fn) => fn(),
    withMetadata: (_metadata, fn) => fn(),
    withAbortSignal: (_signal, fn) => fn(),
  };
  return { client: new Client({ connection, namespace: 'default' }), started };
}

const begunAt = ({ history }: RecordedHistory) => Number(history.events?.[0]?.eventTime?.seconds ?? 0);

function descriptionOf({ run, history }: RecordedHistory): object {
  const [first, last] = [history.events?.[0], history.events?.at(-1)];
  const start = first?.workflowExecutionStartedEventAttributes;
  return {
    workflowExecutionInfo: {
      execution: run,
      type: start?.workflowType,
      taskQueue: start?.taskQueue?.name,
      status: statusAfter(last),
      memo: start?.memo,
      searchAttributes: start?.searchAttributes,
      startTime: first?.eventTime,
      executionTime: first?.eventTime,
      closeTime: last?.eventTime,
      historyLength: last?.eventId,
      firstRunId: start?.firstExecutionRunId,
    },
    pendingActivities: [],
    pendingChildren: [],
  };
}

function statusAfter(last: Event | undefined): temporal.api.enums.v1.WorkflowExecutionStatus {
  switch (last?.eventType) {
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
      return WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_COMPLETED;
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:
      return WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_FAILED;
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
      return WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CANCELED;
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW:
      return WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW;
    case EventType.EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED:
      return WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_TERMINATED;
    default:
      return WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_RUNNING;
  }
}
