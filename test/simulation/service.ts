import { AsyncLocalStorage } from 'node:async_hooks';
import { setMaxListeners } from 'node:events';
import { Client, type ConnectionLike } from '@temporalio/client';
import { describe } from './description.ts';
import type { Execution } from './execution.ts';
import { type Payload, protos, type temporal, timestamp } from './sdk.ts';
import { ServiceError, alreadyExists, completed, deadlineExceeded, notFound } from './service-error.ts';
import type { VirtualServer } from './server.ts';
import type { UpdateOutcome } from './updates.ts';
import { sleep } from './virtual-time.ts';

const { UpdateWorkflowExecutionLifecycleStage } = protos.temporal.api.enums.v1;

type Requests = temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest &
  temporal.api.workflowservice.v1.ISignalWorkflowExecutionRequest;
type Fields = temporal.api.common.v1.IPayloads | null | undefined;

interface CallScope {
  deadline?: number;
  signal?: AbortSignal;
}

const scope = new AsyncLocalStorage<CallScope>();
/** Temporal's number of the filter for the event that closes a run. */
const CLOSE_EVENT = 2;
const LONG_POLL_MS = 20_000;

export type VirtualService = ConnectionLike['workflowService'];

/** Temporal's API over the virtual server. `proceed`: awaited before a request leaves and before its answer arrives. */
export function serviceFor(server: VirtualServer, proceed: () => Promise<void>): VirtualService {
  const methods = serviceMethods(server);
  const call = async (name: string, request: unknown): Promise<unknown> => {
    const method = methods[name];
    if (method === undefined) throw new Error(`The simulator's server has no method ${name}`);
    const { deadline, signal } = scope.getStore() ?? {};
    const answered = (async () => {
      await proceed();
      await sleep(server.random.int(0, 3));
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

export function clientOf(service: VirtualService, identity: string): Client {
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
  return new Client({ connection, namespace: 'default', identity });
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

type Method = (request: never) => unknown;

function serviceMethods(server: VirtualServer): { [name: string]: Method } {
  const found = (
    execution: { workflowId?: string | null; runId?: string | null } | null | undefined,
  ): Execution => {
    const one = server.find(execution?.workflowId ?? '', execution?.runId ?? undefined);
    if (one === undefined) throw notFound(`workflow not found for ID: ${execution?.workflowId}`);
    return one;
  };
  const open = (execution: { workflowId?: string | null; runId?: string | null } | null | undefined) => {
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
      const execution = open(workflowExecution);
      const id = asked?.meta?.updateId ?? '';
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
      if (server.find(request.workflowId ?? '')?.isOpen === true) throw alreadyExists();
      return { runId: begin(request).runId, started: true };
    },
    signalWorkflowExecution(request: temporal.api.workflowservice.v1.ISignalWorkflowExecutionRequest) {
      open(request.workflowExecution).signal(
        request.signalName ?? '',
        list(request.input),
        request.header?.fields ?? {},
      );
      return {};
    },
    signalWithStartWorkflowExecution(
      request: temporal.api.workflowservice.v1.ISignalWithStartWorkflowExecutionRequest,
    ) {
      const running = server.find(request.workflowId ?? '');
      const execution = running?.isOpen === true ? running : begin(request);
      execution.signal(request.signalName ?? '', list(request.signalInput), request.header?.fields ?? {});
      return { runId: execution.runId, started: execution !== running };
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
    async getWorkflowExecutionHistory(
      request: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryRequest,
    ) {
      const execution = found(request.execution);
      const from = offsetOf(request.nextPageToken, execution);
      const run = server.find(execution.id, from.runId) ?? execution;
      const closeOnly = Number(request.historyEventFilterType) === CLOSE_EVENT;
      const isNew = () => !run.isOpen || (!closeOnly && run.history.length > from.at);
      if (request.waitNewEvent === true && !isNew()) await changed(run, isNew);
      const { history } = run;
      const size = request.maximumPageSize || 200;
      const events = closeOnly
        ? run.isOpen
          ? []
          : history.slice(-1)
        : history.slice(from.at, from.at + size);
      const at = closeOnly ? history.length : from.at + events.length;
      const isWhole = at >= history.length && (request.waitNewEvent !== true || !run.isOpen);
      return {
        history: { events },
        nextPageToken: isWhole ? new Uint8Array() : Buffer.from(JSON.stringify({ runId: run.runId, at })),
      };
    },
    getWorkflowExecutionHistoryReverse(
      request: temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryReverseRequest,
    ) {
      const execution = found(request.execution);
      const reversed = execution.history.toReversed();
      const { at } = offsetOf(request.nextPageToken, execution);
      const events = reversed.slice(at, at + (request.maximumPageSize || 20));
      const next = at + events.length;
      return {
        history: { events },
        nextPageToken:
          next >= reversed.length
            ? new Uint8Array()
            : Buffer.from(JSON.stringify({ runId: execution.runId, at: next })),
      };
    },
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

function offsetOf(token: Uint8Array | null | undefined, execution: Execution): { runId: string; at: number } {
  if (token === null || token === undefined || token.length === 0) return { runId: execution.runId, at: 0 };
  return JSON.parse(Buffer.from(token).toString()) as { runId: string; at: number }; // ours
}

/** Resolves when it is so, or after the time that the server keeps a long poll. */
async function changed(execution: Execution, isSo: () => boolean): Promise<void> {
  const until = Date.now() + LONG_POLL_MS;
  while (!isSo() && Date.now() < until) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        forget();
        resolve();
      }, until - Date.now());
      const forget = execution.onChange(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    // The rest of the transaction.
    await Promise.resolve();
  }
}

/** An answer as a client reads it: with the types of the decoded message. */
function overTheWire(
  name: 'DescribeWorkflowExecutionResponse' | 'ListWorkflowExecutionsResponse',
  answer: object,
): unknown {
  const type = protos.temporal.api.workflowservice.v1[name];
  return type.decode(type.encode(type.fromObject(answer)).finish());
}
