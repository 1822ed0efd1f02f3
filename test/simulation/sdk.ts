/** The only file of the simulator that imports internals of Temporal's SDK. */
import { createRequire } from 'node:module';
import type { Client } from '@temporalio/client';
import {
  type DataConverter,
  type LoadedDataConverter,
  TypedSearchAttributes,
  defaultPayloadConverter,
  noopMetricMeter,
} from '@temporalio/common';
import type { Info } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import protos, { type coresdk, type temporal } from '@temporalio/proto';
import type * as Converters from '@temporalio/common/lib/internal-non-workflow/index.js';
import type * as ActivityModule from '@temporalio/worker/lib/activity.js';
import type * as WorkerModule from '@temporalio/worker/lib/worker.js';
import type * as ReusableVm from '@temporalio/worker/lib/workflow/reusable-vm.js';
import type * as CodecRunner from '@temporalio/worker/lib/workflow-codec-runner.js';

const require = createRequire(import.meta.url);
const { ReusableVMWorkflowCreator: Creator } =
  require('@temporalio/worker/lib/workflow/reusable-vm.js') as typeof ReusableVm;
const { globalHandlers } = require('@temporalio/worker/lib/workflow/vm-shared.js') as {
  globalHandlers: { stopPromiseHook(): void };
};
const { parseWorkflowCode } = require('@temporalio/worker/lib/worker.js') as typeof WorkerModule;
const { Activity } = require('@temporalio/worker/lib/activity.js') as typeof ActivityModule;
const { WorkflowCodecRunner } =
  require('@temporalio/worker/lib/workflow-codec-runner.js') as typeof CodecRunner;
const { loadDataConverter } =
  require('@temporalio/common/lib/internal-non-workflow/index.js') as typeof Converters;

// The SDK's own UTF-8 in JavaScript takes a tenth of a simulation's time.
const encoding = require('@temporalio/common/lib/encoding.js') as {
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): string;
};
encoding.encode = (text) => new TextEncoder().encode(text);
encoding.decode = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();

export type { LoadedDataConverter, coresdk, temporal };
export { protos };
export type Job = coresdk.workflow_activation.IWorkflowActivationJob;
export type Command = coresdk.workflow_commands.IWorkflowCommand;
export type Failure = protos.temporal.api.failure.v1.IFailure;
export type Payload = protos.temporal.api.common.v1.IPayload;
export type HistoryEvent = protos.temporal.api.history.v1.IHistoryEvent;

export const encodeValue = (value: unknown): Payload => defaultPayloadConverter.toPayload(value);
export const decodeValue = (payload: Payload): unknown => defaultPayloadConverter.fromPayload(payload);

/** Loads the modules that a data converter names. */
export const loadConverter = (converter: DataConverter): LoadedDataConverter => loadDataConverter(converter);

/** Node starts a thread for each entry of the sandbox that has a time-out: most of a simulation's time. */
const NO_TIMEOUT = undefined as unknown as number;

/** Loads the workflow bundle into a V8 context, as a worker does once. */
export class Sandbox {
  readonly #creator: ReusableVm.ReusableVMWorkflowCreator;

  private constructor(creator: ReusableVm.ReusableVMWorkflowCreator) {
    this.#creator = creator;
  }

  static async create(code: string, activities: ReadonlySet<string>): Promise<Sandbox> {
    const creator = await Creator.create(parseWorkflowCode(code), NO_TIMEOUT, new Set(activities));
    // The hook keeps the stack of each promise of a workflow, for a query that nobody sends here.
    globalHandlers.stopPromiseHook();
    return new Sandbox(creator);
  }

  async start(options: InstanceOptions): Promise<Instance> {
    const { workflowId, runId, type, buildId, now, seed } = options;
    const workflow = await this.#creator.createWorkflow({
      info: {
        workflowId,
        runId,
        workflowType: type,
        searchAttributes: {},
        typedSearchAttributes: new TypedSearchAttributes(),
        taskQueue: options.taskQueue,
        namespace: 'default',
        firstExecutionRunId: options.firstRunId,
        ...(options.continuedFrom === undefined
          ? {}
          : { continuedFromExecutionRunId: options.continuedFrom }),
        ...(options.parent === undefined ? {} : { parent: { ...options.parent, namespace: 'default' } }),
        originalExecutionRunId: options.originalRunId,
        startTime: new Date(now),
        runStartTime: new Date(now),
        taskTimeoutMs: 10_000,
        attempt: 1,
        historyLength: 3,
        historySize: 0,
        continueAsNewSuggested: false,
        targetWorkerDeploymentVersionChanged: false,
        suggestedContinueAsNewReasons: [],
        currentBuildId: buildId,
        memo: options.memo,
        unsafe: {
          now: () => Date.now(),
          isReplaying: false,
          isReplayingHistoryEvents: false,
          random: Math.random,
        },
      } as never, // the SDK completes it
      randomnessSeed: [...new Uint8Array(new BigUint64Array([BigInt(seed)]).buffer)],
      now,
      showStackTraceSources: false,
      failureExceptionTypeNames: [],
    });
    const context = { type: 'workflow', namespace: 'default', workflowId } as const;
    const { payloadCodecs } = options.converter;
    const codecs = payloadCodecs.length === 0 ? undefined : new WorkflowCodecRunner(payloadCodecs, context);
    return new Instance(workflow, { runId, buildId, codecs });
  }
}

export interface InstanceOptions {
  workflowId: string;
  runId: string;
  type: string;
  taskQueue: string;
  buildId: string;
  firstRunId: string;
  originalRunId: string;
  continuedFrom?: string | undefined;
  parent?: { workflowId: string; runId: string } | undefined;
  memo: { [name: string]: unknown };
  /** Time of the start, in ms. */
  now: number;
  seed: number;
  converter: LoadedDataConverter;
}

type Workflow = Awaited<ReturnType<ReusableVm.ReusableVMWorkflowCreator['createWorkflow']>>;

export interface Activation {
  at: number;
  isReplaying: boolean;
  historyLength: number;
  historyBytes: number;
  continueAsNewSuggested: boolean;
  flags: readonly number[];
  jobs: readonly Job[];
}

export interface Activated {
  /** As the server gets them. */
  commands: Command[];
  /** The commands before their encryption. */
  clear: Command[];
  flags: number[];
  sinkCalls: { ifaceName: string; fnName: string; args: unknown[] }[];
  failure: Failure | undefined;
}

interface InstanceNames {
  runId: string;
  buildId: string;
  /** undefined: nothing is encrypted. */
  codecs: CodecRunner.WorkflowCodecRunner | undefined;
}

/** One workflow in a worker's cache. */
export class Instance {
  readonly #workflow: Workflow;
  readonly #of: InstanceNames;

  constructor(workflow: Workflow, of: InstanceNames) {
    this.#workflow = workflow;
    this.#of = of;
  }

  async activate(activation: Activation): Promise<Activated> {
    const { runId, buildId, codecs } = this.#of;
    const { WorkflowActivation } = protos.coresdk.workflow_activation;
    const encoded = WorkflowActivation.decode(
      WorkflowActivation.encode(
        WorkflowActivation.fromObject({
          runId,
          timestamp: timestamp(activation.at),
          isReplaying: activation.isReplaying,
          historyLength: activation.historyLength,
          historySizeBytes: activation.historyBytes,
          continueAsNewSuggested: activation.continueAsNewSuggested,
          availableInternalFlags: [...activation.flags],
          jobs: activation.jobs,
          deploymentVersionForCurrentTask: { deploymentName: '', buildId },
        }),
      ).finish(),
    );
    const completion = await this.#workflow.activate(
      codecs === undefined ? encoded : await codecs.decodeActivation(encoded),
    );
    const sinkCalls = await this.#workflow.getAndResetSinkCalls();
    const sent = codecs === undefined ? completion : await codecs.encodeCompletion(completion);
    return {
      commands: sent.successful?.commands ?? [],
      clear: completion.successful?.commands ?? [],
      flags: completion.successful?.usedInternalFlags ?? [],
      sinkCalls,
      failure: completion.failed?.failure ?? undefined,
    };
  }

  /** Asks the workflow between two of its tasks. */
  async query(queryType: string, activation: Omit<Activation, 'jobs' | 'isReplaying'>): Promise<unknown> {
    const jobs = [{ queryWorkflow: { queryId: 'legacy', queryType, arguments: [], headers: {} } }];
    const { clear } = await this.activate({ ...activation, isReplaying: true, jobs });
    const { succeeded, failed } = clear[0]?.respondToQuery ?? {};
    if (!succeeded?.response) throw new Error(`The query ${queryType} failed: ${failed?.message}`);
    return decodeValue(succeeded.response);
  }

  dispose(): Promise<void> {
    return this.#workflow.dispose();
  }
}

export interface Attempt {
  /** Only the first reason counts. */
  cancel(reason: 'CANCELLED' | 'TIMED_OUT' | 'PAUSED' | 'RESET' | 'NOT_FOUND'): void;
  result: Promise<coresdk.activity_result.IActivityExecutionResult>;
}

/** Runs one attempt of an activity in the context that a worker gives it. */
export function runAttempt(
  fn: (...args: never[]) => Promise<unknown>,
  info: Info,
  args: unknown[],
  headers: { [name: string]: Payload },
  client: Client,
  converter: LoadedDataConverter,
  interceptors: readonly ActivityInterceptorsFactory[],
  onHeartbeat: (details: unknown) => void,
): Attempt {
  const silent = {
    log: () => undefined,
    trace: () => undefined,
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const activity = new Activity(
    info,
    fn as never, // called with its own arguments
    converter,
    { type: 'activity', namespace: 'default', activityId: info.activityId, isLocal: info.isLocal } as never,
    undefined,
    onHeartbeat,
    client,
    silent,
    noopMetricMeter,
    [...interceptors],
  );
  let isCancelled = false;
  return {
    cancel: (reason) => {
      if (isCancelled) return;
      isCancelled = true;
      const [cancelRequested, paused, reset, timedOut] = ['CANCELLED', 'PAUSED', 'RESET', 'TIMED_OUT'].map(
        (one) => one === reason,
      );
      const notFound = timedOut === true || reason === 'NOT_FOUND';
      activity.cancel(reason, { cancelRequested, paused, reset, timedOut, notFound } as never);
    },
    result: activity.run({ args, headers }),
  };
}

/** A time or a duration as Temporal's messages have it. */
export function timestamp(ms: number): { seconds: never; nanos: number } {
  const seconds = Math.floor(ms / 1000);
  // The messages take numbers where their types ask for 64-bit integers.
  return { seconds: seconds as never, nanos: Math.round((ms - seconds * 1000) * 1e6) };
}

/** Milliseconds of a duration; undefined for none, and for 0, which the server takes as none. */
export function durationMs(
  duration: { seconds?: unknown; nanos?: number | null } | null | undefined,
): number | undefined {
  if (duration === null || duration === undefined) return undefined;
  const ms = Number(duration.seconds ?? 0) * 1000 + (duration.nanos ?? 0) / 1e6;
  return ms === 0 ? undefined : ms;
}
