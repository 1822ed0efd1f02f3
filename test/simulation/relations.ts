import { type Command, type Failure, type coresdk, protos, type temporal } from './sdk.ts';
import type { End, Execution } from './execution.ts';

const { ParentClosePolicy } = protos.temporal.api.enums.v1;

interface Child {
  seq: number;
  initiatedEventId: number;
  startedEventId: number;
  execution: Execution;
  policy: temporal.api.enums.v1.ParentClosePolicy;
}

/** The children of an execution, and the signals and cancellations that it sends to other executions. */
export class Relations {
  readonly #execution: Execution;
  readonly #children = new Map<number, Child>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  get size(): number {
    return this.#children.size;
  }

  start({ startChildWorkflowExecution: start, userMetadata }: Command): void {
    const execution = this.#execution;
    if (!start) return;
    const { workflowId, workflowType: type, taskQueue, input, headers, memo, searchAttributes } = start;
    const seq = Number(start.seq);
    const shared = { namespace: 'default', workflowType: { name: type ?? null } };
    const initiatedEventId = execution.add(
      'EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED',
      {
        startChildWorkflowExecutionInitiatedEventAttributes: {
          ...shared,
          workflowId: workflowId ?? null,
          taskQueue: { name: taskQueue || execution.request.taskQueue },
          input: { payloads: input ?? [] },
          parentClosePolicy: start.parentClosePolicy ?? null,
          memo: { fields: memo ?? {} },
        },
      },
      userMetadata,
    );
    execution.server.later(() => {
      if (!execution.isOpen) return;
      if (execution.server.find(workflowId ?? '')?.isOpen === true) {
        execution.receive(() => {
          execution.add('EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_FAILED', {
            startChildWorkflowExecutionFailedEventAttributes: {
              ...shared,
              workflowId: workflowId ?? null,
              cause: 1,
              initiatedEventId: initiatedEventId as never,
            },
          });
          execution.addJob({
            resolveChildWorkflowExecutionStart: {
              seq,
              failed: { workflowId: workflowId ?? null, workflowType: type ?? null, cause: 1 },
            },
          });
        });
        return;
      }
      const begun = execution.server.begin({
        workflowId: workflowId ?? '',
        type: type ?? '',
        taskQueue: taskQueue || execution.request.taskQueue,
        args: input ?? [],
        memo: memo ?? {},
        searchAttributes: searchAttributes?.indexedFields ?? {},
        headers: headers ?? {},
        userMetadata: userMetadata ?? undefined,
        parent: { execution, seq, initiatedEventId },
      });
      const child: Child = {
        seq,
        initiatedEventId,
        startedEventId: 0,
        execution: begun,
        policy: start.parentClosePolicy ?? 0,
      };
      this.#children.set(seq, child);
      execution.receive(() => {
        child.startedEventId = execution.add('EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED', {
          childWorkflowExecutionStartedEventAttributes: {
            ...shared,
            initiatedEventId: initiatedEventId as never,
            workflowExecution: { workflowId: begun.id, runId: begun.runId },
          },
        });
        execution.addJob({
          resolveChildWorkflowExecutionStart: { seq, succeeded: { runId: begun.runId } },
        });
      });
    });
  }

  /** A child's chain of executions is over. */
  ended(seq: number, ended: Execution, end: End): void {
    const execution = this.#execution;
    const child = this.#children.get(seq);
    if (child === undefined) return;
    execution.receive(() => {
      this.#children.delete(seq);
      const shared = {
        namespace: 'default',
        workflowType: { name: ended.request.type },
        workflowExecution: { workflowId: ended.id, runId: ended.runId },
        initiatedEventId: child.initiatedEventId as never,
        startedEventId: child.startedEventId as never,
      };
      const wrapped = (cause: Failure): Failure => ({
        message: 'Child Workflow execution failed',
        cause,
        childWorkflowExecutionFailureInfo: { ...shared, retryState: 0 },
      });
      let result: coresdk.child_workflow.IChildWorkflowResult;
      if (end.type === 'completed') {
        execution.add('EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED', {
          childWorkflowExecutionCompletedEventAttributes: {
            ...shared,
            result: { payloads: end.result === undefined ? [] : [end.result] },
          },
        });
        result = { completed: { result: end.result ?? null } };
      } else if (end.type === 'failed') {
        execution.add('EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED', {
          childWorkflowExecutionFailedEventAttributes: { ...shared, failure: end.failure },
        });
        result = { failed: { failure: wrapped(end.failure) } };
      } else if (end.type === 'canceled') {
        execution.add('EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_CANCELED', {
          childWorkflowExecutionCanceledEventAttributes: shared,
        });
        result = {
          cancelled: {
            failure: wrapped({ message: 'Child Workflow execution cancelled', canceledFailureInfo: {} }),
          },
        };
      } else {
        execution.add('EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TERMINATED', {
          childWorkflowExecutionTerminatedEventAttributes: shared,
        });
        result = {
          failed: {
            failure: wrapped({ message: 'Child Workflow execution terminated', terminatedFailureInfo: {} }),
          },
        };
      }
      execution.addJob({ resolveChildWorkflowExecution: { seq, result } });
    });
  }

  /** The child has continued as new. */
  follow(seq: number, next: Execution): void {
    const child = this.#children.get(seq);
    if (child !== undefined) child.execution = next;
  }

  signal({ signalExternalWorkflowExecution: command }: Command): void {
    const execution = this.#execution;
    if (!command) return;
    const { signalName, args, headers } = command;
    const seq = Number(command.seq);
    const target = command.workflowExecution ?? { workflowId: command.childWorkflowId ?? null };
    const initiatedEventId = execution.add('EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED', {
      signalExternalWorkflowExecutionInitiatedEventAttributes: {
        namespace: 'default',
        workflowExecution: target,
        signalName: signalName ?? null,
        input: { payloads: args ?? [] },
      },
    });
    execution.server.later(() => {
      const found = execution.server.find(target.workflowId ?? '', target.runId || undefined);
      const isThere = found?.isOpen === true;
      if (isThere) found.signal(signalName ?? '', args ?? [], headers ?? {}, execution);
      execution.receive(() => {
        const attributes = {
          initiatedEventId: initiatedEventId as never,
          namespace: 'default',
          workflowExecution: target,
        };
        if (isThere)
          execution.add('EVENT_TYPE_EXTERNAL_WORKFLOW_EXECUTION_SIGNALED', {
            externalWorkflowExecutionSignaledEventAttributes: attributes,
          });
        else
          execution.add('EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_FAILED', {
            signalExternalWorkflowExecutionFailedEventAttributes: { ...attributes, cause: 1 },
          });
        const failure: Failure = {
          message: 'Unable to signal external workflow because it was not found',
          applicationFailureInfo: {},
        };
        execution.addJob({ resolveSignalExternalWorkflow: { seq, ...(isThere ? {} : { failure }) } });
      });
    });
  }

  cancel({ requestCancelExternalWorkflowExecution: command }: Command): void {
    const execution = this.#execution;
    if (!command) return;
    const seq = Number(command.seq);
    const workflowExecution = command.workflowExecution ?? {};
    const shared = { namespace: 'default', workflowExecution };
    const initiatedEventId = execution.add(
      'EVENT_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED',
      {
        requestCancelExternalWorkflowExecutionInitiatedEventAttributes: shared,
      },
    );
    execution.server.later(() => {
      const found = execution.server.find(
        workflowExecution.workflowId ?? '',
        workflowExecution.runId || undefined,
      );
      const isThere = found?.isOpen === true;
      if (isThere) found.requestCancel();
      execution.receive(() => {
        const attributes = { ...shared, initiatedEventId: initiatedEventId as never };
        if (isThere)
          execution.add('EVENT_TYPE_EXTERNAL_WORKFLOW_EXECUTION_CANCEL_REQUESTED', {
            externalWorkflowExecutionCancelRequestedEventAttributes: attributes,
          });
        else
          execution.add('EVENT_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_FAILED', {
            requestCancelExternalWorkflowExecutionFailedEventAttributes: { ...attributes, cause: 1 },
          });
        const failure: Failure = { message: 'Unable to cancel external workflow because it was not found' };
        execution.addJob({
          resolveRequestCancelExternalWorkflow: { seq, ...(isThere ? {} : { failure }) },
        });
      });
    });
  }

  /** Does to the children what their parent's end means for them. */
  close(): void {
    for (const { policy, execution } of this.#children.values()) {
      if (policy === ParentClosePolicy.PARENT_CLOSE_POLICY_ABANDON) continue;
      if (policy === ParentClosePolicy.PARENT_CLOSE_POLICY_REQUEST_CANCEL) execution.requestCancel();
      else execution.terminate('by parent close policy');
    }
  }
}
