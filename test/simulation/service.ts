import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import { Client, type ConnectionLike, type DataConverter } from '@temporalio/client';
import { describe } from './description.ts';
import type { Execution } from './execution.ts';
import { type Payload, protos, type temporal, timestamp } from './sdk.ts';
import { ServiceError, alreadyExists, completed, deadlineExceeded, notFound } from './service-error.ts';
import { type ExecutionName, historyMethods } from './service-history.ts';
import type { VirtualServer } from './server.ts';
import type { UpdateOutcome } from './updates.ts';
import { sleep } from './virtual-time.ts';

const {
  UpdateWorkflowExecutionLifecycleStage,
  WorkflowIdConflictPolicy: { WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING: TERMINATE_EXISTING },
  WorkflowIdReusePolicy: { WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE: REJECT_DUPLICATE },
} = protos.temporal.api.enums.v1;

type Requests = temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest &
  temporal.api.workflowservice.v1.ISignalWorkflowExecutionRequest;
type Fields = temporal.api.common.v1.IPayloads | null | undefined;

interface CallScope {
  deadline?: number;
  signal?: AbortSignal;
}

const scope = new AsyncLocalStorage<CallScope>();
/** Share of the answers that get lost. The client sends such a request again. */
const LOST_ANSWER = 0.02;
/** The server is away for so long, or for a multiple, after an update whose answer got lost. */
const OUTAGE_MS = 5_000;
const isSentAgain = /^(start|signal|update|execute|terminate|requestCancel|respond|record)/u;

export type VirtualService = ConnectionLike['workflowService'];

/** Temporal's API over the virtual server. `proceed`: awaited before a request leaves and before its answer arrives. */
export function serviceFor(server: VirtualServer, proceed: () => Promise<void>): VirtualService {
  const methods = serviceMethods(server);
  let lostUpdates = 0;
  const call = async (name: string, request: unknown): Promise<unknown> => {
    const method = methods[name];
    if (method === undefined) throw new Error(`The simulator's server has no method ${name}`);
    const { deadline, signal } = scope.getStore() ?? {};
    const answered = (async () => {
      await proceed();
      await sleep(server.random.int(0, 3));
      const isLost = isSentAgain.test(name) && server.random.chance(LOST_ANSWER);
      if (isLost && server.random.may('lost answer')) {
        await lost(method(request as never));
        if (name.startsWith('update')) await sleep((lostUpdates++ % 4) * OUTAGE_MS);
      }
      const answer = await method(request as never);
      await sleep(server.random.int(0, 2));
      await proceed();
      return answer;
    })();
    if (deadline === undefined && signal === undefined) return answered;
    return bounded(answered, deadline, signal);
  };
  return new Proxy(
    {},
    { get: (_, name) => (request: unknown) => call(String(name), request) },
  ) as VirtualService;
}

export function clientOf(service: VirtualService, identity: string, dataConverter: DataConverter): Client {
  const connection: ConnectionLike = {
    workflowService: service,
    operatorService: undefined as never, // no activity uses it
    plugins: [],
    close: async () => undefined,
    ensureConnected: async () => undefined,
    withDeadline: (deadline, fn) => scope.run({ ...scope.getStore(), deadline: Number(deadline) }, fn),
    withMetadata: (_metadata, fn) => fn(),
    withAbortSignal: (signal, fn) => scope.run({ ...scope.getStore(), signal }, fn),
  };
  return new Client({ connection, namespace: 'default', identity, dataConverter });
}

function bounded<T>(
  answer: Promise<T>,
  deadline: number | undefined,
  signal: AbortSignal | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer =
      deadline === undefined
        ? undefined
        : setTimeout(() => reject(deadlineExceeded()), Math.max(0, deadline - Date.now()));
    const cancelled = () => reject(new ServiceError(1, 'Cancelled on client'));
    // Requests of a dead process stay open.
    if (signal !== undefined) setMaxListeners(0, signal);
    if (signal?.aborted === true) cancelled();
    signal?.addEventListener('abort', cancelled);
    answer.then(resolve, reject).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancelled);
    });
  });
}

async function lost(answer: unknown): Promise<void> {
  try {
    await answer;
  } catch {
    // Nobody hears of the error.
  }
}

type Method = (request: never) => unknown;

function serviceMethods(server: VirtualServer): { [name: string]: Method } {
  const found = (execution: ExecutionName): Execution => {
    const one = server.find(execution?.workflowId ?? '', execution?.runId ?? undefined);
    if (one === undefined) throw notFound(`workflow not found for ID: ${execution?.workflowId}`);
    return one;
  };
  const open = (execution: ExecutionName) => {
    const one = found(execution);
    if (!one.isOpen) throw completed();
    return one;
  };
  const begin = (request: temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest) =>
    server.begin({
      workflowId: request.workflowId ?? '',
      type: request.workflowType?.name ?? '',
      taskQueue: request.taskQueue?.name ?? '',
      args: list(request.input),
      memo: request.memo?.fields ?? {},
      searchAttributes: request.searchAttributes?.indexedFields ?? {},
      headers: request.header?.fields ?? {},
      userMetadata: request.userMetadata ?? undefined,
    });
  const update = async (request: temporal.api.workflowservice.v1.IUpdateWorkflowExecutionRequest) => {
    for (;;) {
      const { workflowExecution, request: asked } = request;
      const id = asked?.meta?.updateId ?? '';
      const execution = found(workflowExecution);
      if (!execution.isOpen && !execution.updates.isKnown(id)) throw completed();
      const outcome = await execution.updates.admit(
        id,
        asked?.input?.name ?? '',
        list(asked?.input?.args),
        asked?.input?.header?.fields ?? {},
      );
      if ('gone' in outcome) {
        // The frontend tries again at the next execution of the chain.
        if (outcome.gone.type === 'continued') continue;
        throw completed();
      }
      return {
        updateRef: { updateId: id, workflowExecution: { workflowId: execution.id, runId: execution.runId } },
        stage: UpdateWorkflowExecutionLifecycleStage.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED,
        outcome: outcomeProto(outcome),
      };
    }
  };

  return {
    getSystemInfo: () => ({ capabilities: {}, serverVersion: 'virtual' }),
    startWorkflowExecution(request: Requests) {
      return server.sameRequest(request.requestId, () => {
        const { workflowIdConflictPolicy, workflowIdReusePolicy } = request;
        const known = server.find(request.workflowId ?? '');
        if (known?.isOpen === true && workflowIdConflictPolicy !== TERMINATE_EXISTING) throw alreadyExists();
        if (known?.isOpen === false && workflowIdReusePolicy === REJECT_DUPLICATE) throw alreadyExists();
        known?.terminate('by another start');
        return { runId: begin(request).runId, started: true };
      });
    },
    signalWorkflowExecution(request: temporal.api.workflowservice.v1.ISignalWorkflowExecutionRequest) {
      return server.sameRequest(request.requestId, () => {
        const { signalName, input, header } = request;
        open(request.workflowExecution).signal(signalName ?? '', list(input), header?.fields ?? {});
        return {};
      });
    },
    signalWithStartWorkflowExecution(
      request: temporal.api.workflowservice.v1.ISignalWithStartWorkflowExecutionRequest,
    ) {
      return server.sameRequest(request.requestId, () => {
        const running = server.find(request.workflowId ?? '');
        const execution = running?.isOpen === true ? running : begin(request);
        execution.signal(request.signalName ?? '', list(request.signalInput), request.header?.fields ?? {});
        return { runId: execution.runId, started: execution !== running };
      });
    },
    updateWorkflowExecution: update,
    async executeMultiOperation({
      operations,
    }: temporal.api.workflowservice.v1.IExecuteMultiOperationRequest) {
      const start = operations?.[0]?.startWorkflow ?? {};
      const running = server.find(start.workflowId ?? '');
      const execution = running?.isOpen === true ? running : begin(start);
      const updateWorkflow = await update(operations?.[1]?.updateWorkflow ?? {});
      const startWorkflow = { runId: execution.runId, started: execution !== running };
      return { responses: [{ startWorkflow }, { updateWorkflow }] };
    },
    terminateWorkflowExecution(request: temporal.api.workflowservice.v1.ITerminateWorkflowExecutionRequest) {
      open(request.workflowExecution).terminate(request.reason ?? '');
      return {};
    },
    requestCancelWorkflowExecution(
      request: temporal.api.workflowservice.v1.IRequestCancelWorkflowExecutionRequest,
    ) {
      open(request.workflowExecution).requestCancel(request.reason ?? '');
      return {};
    },
    ...historyMethods(server, found),
    describeWorkflowExecution(request: temporal.api.workflowservice.v1.IDescribeWorkflowExecutionRequest) {
      return overTheWire('DescribeWorkflowExecutionResponse', describe(found(request.execution)));
    },
    describeTaskQueue({ taskQueue }: temporal.api.workflowservice.v1.IDescribeTaskQueueRequest) {
      return {
        pollers: server.pollersOf(taskQueue?.name ?? '').map(({ identity }) => ({
          identity,
          lastAccessTime: timestamp(Date.now()),
        })),
      };
    },
    recordActivityTaskHeartbeat(
      request: temporal.api.workflowservice.v1.IRecordActivityTaskHeartbeatRequest,
    ) {
      const token = Buffer.from(request.taskToken ?? []).toString();
      const [runId, scheduledEventId] = token.split('|');
      const execution = server.executions.find((one) => one.runId === runId);
      const activity = [...(execution?.activities.values() ?? [])].find(
        (one) => String(one.scheduledEventId) === scheduledEventId,
      );
      if (activity === undefined) throw notFound('activity task');
      return activity.heartbeat(token, request.details?.payloads ?? undefined);
    },
    respondActivityTaskFailedById(
      request: temporal.api.workflowservice.v1.IRespondActivityTaskFailedByIdRequest,
    ) {
      const { workflowId = null, runId = null } = request;
      const activity = [...found({ workflowId, runId }).activities.values()].find(
        ({ schedule }) => schedule.activityId === request.activityId,
      );
      if (activity === undefined) throw notFound('activity');
      activity.failById(request.failure ?? {}, request.lastHeartbeatDetails?.payloads ?? undefined);
      return {};
    },
    resetStickyTaskQueue(request: temporal.api.workflowservice.v1.IResetStickyTaskQueueRequest) {
      server.resetSticky(found(request.execution));
      return {};
    },
    async listWorkflowExecutions() {
      const executions = server.executions.map((one) => describe(one).workflowExecutionInfo);
      return overTheWire('ListWorkflowExecutionsResponse', { executions });
    },
  };
}

const list = (payloads: Fields): Payload[] => payloads?.payloads ?? [];

function outcomeProto(outcome: Exclude<UpdateOutcome, { gone: unknown }>): temporal.api.update.v1.IOutcome {
  return 'success' in outcome ? { success: { payloads: outcome.success } } : { failure: outcome.failure };
}

/** An answer as a client reads it: with the types of the decoded message. */
function overTheWire(
  name: 'DescribeWorkflowExecutionResponse' | 'ListWorkflowExecutionsResponse',
  answer: object,
): unknown {
  const type = protos.temporal.api.workflowservice.v1[name];
  return type.decode(type.encode(type.fromObject(answer)).finish());
}
