import { log as activityLog } from '@temporalio/activity';
import type {
  ActivityInterceptorsFactory,
  InjectedSinks,
  NativeConnection,
  Worker,
  WorkerOptions,
  WorkflowBundleOption,
} from '@temporalio/worker';
import { type AnyActivity, createActivities, rememberToolMeta } from '../activities/index.ts';
import type { ReloopSinks } from '../workflows/operator/emit.ts';
import { EmitOnce } from './emit-once.ts';
import { setHeartbeats } from '../activities/attempt/heartbeat.ts';
import { createBudgetKeeper } from '../activities/limits/budget-keeper.ts';
import { createModelLimiter } from '../activities/limits/model-limiter.ts';
import { withBreaker } from '../activities/model/breaker.ts';
import { createReplyCache } from '../activities/reply-cache.ts';
import type { LoadedConfig } from '../config/load/loaded-config.ts';
import { environmentSigner } from '../features/encryption/token-signer.ts';
import type { Model } from '../adapters/models/model.ts';
import { BUILD, type DeploymentVersion } from '../agent/values/names.ts';
import { versionOf } from '../config/deployment-option.ts';
import { checkedConcurrency } from '../config/options/concurrency-option.ts';
import { workerParts } from '../config/config-options.ts';
import { createLivePublisher } from '../features/live/publisher.ts';
import { payloadConverter } from './encrypted-converter.ts';
import { NO_TIMEOUT, drainInterceptor } from '../features/recovery/worker/drain.ts';
import { startRecovery } from '../features/recovery/worker/recovery.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { startTelemetry } from './telemetry/start-telemetry.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import { versionedBundle, workflowBundle } from './workflow-bundle.ts';

const TRANSCRIPT_CACHE_BYTES = 64_000_000;

export interface CreateWorkerOptions {
  connection: NativeConnection;
  namespace?: string;
  /** Default: the config's. The name of one of the config's `queues`: the worker makes calls of this queue only. */
  taskQueue?: string;
  /** Name of this worker in the Web UI. Default: process id and host. */
  identity?: string;
  /** Your own workflow code, which contains ours; default: ours alone. */
  bundle?: WorkflowBundleOption;
  /** Memory for transcripts; a run whose transcript is not there is read from history again. Default 64 MB. */
  transcriptCacheBytes?: number;
  /** Address of the connection: for messages, and for the default heartbeat interval. */
  address?: string;
  /**
   * Folder of this machine in which the worker keeps which calls it has under way. When it is killed, the next worker
   * of the same folder has them tried again at once. Default: none; then they are tried again after the heartbeat
   * time-out.
   */
  stateDir?: string | undefined;
  /**
   * Concurrent calls of models and tools. Default: the config's for the task queue, otherwise as its memory allows. Throws ConfigError
   * for a value that is not a number from 1.
   */
  concurrency?: number | undefined;
  /** Expects that other workers of the queue know other agents than this one for some seconds. Default true. */
  rollingDeploys?: boolean;
  /** A problem that does not keep the worker from running. */
  onWarning?(text: string): void;
}

/** A worker on one task queue: the config's own, or one of its `queues`. The caller runs and ends the worker. */
export async function createAgentWorker(loaded: LoadedConfig, options: CreateWorkerOptions): Promise<Worker> {
  const { taskQueue = loaded.taskQueue } = options;
  checkedConcurrency('createWorker', options.concurrency);
  const version = versionOf(loaded.deployment);
  const [worker] = await createAgentWorkers(loaded, [taskQueue], { ...options, version });
  if (worker === undefined) throw new Error('unreachable: each task queue has a worker');
  return worker;
}

interface AgentWorkersOptions extends Omit<CreateWorkerOptions, 'taskQueue'> {
  /** undefined: the workers have no version. */
  version: DeploymentVersion | undefined;
}

/**
 * Workers on these task queues, with one cache for all. With `drain` their calls continue after the shutdown until that aborts; without
 * it, for some seconds.
 */
export async function createAgentWorkers(
  loaded: LoadedConfig,
  taskQueues: readonly string[],
  options: AgentWorkersOptions,
  drain?: AbortSignal,
): Promise<Worker[]> {
  const { connection, namespace = 'default', version, onWarning } = options;
  const scope = { namespace, address: options.address };
  const hasRuns = taskQueues.some((name) => !loaded.queues.has(name));
  const [{ Worker: TemporalWorker }, searchAttributes, code, recovery] = await Promise.all([
    import('@temporalio/worker'),
    registerSearchAttributes(connection, namespace, onWarning),
    hasRuns ? workflowCode(options, loaded) : undefined,
    startRecovery(options.stateDir, scope, connection),
  ]);
  const telemetry = await startTelemetry(loaded, { connection, namespace, searchAttributes, onWarning });
  const runQueue = taskQueues.find((name) => !loaded.queues.has(name));
  const settings = activitySettings(loaded, searchAttributes, { ...options, telemetry, runQueue });
  if (drain !== undefined) settings.interceptors.activity.unshift(drainInterceptor(drain));
  settings.interceptors.activity.unshift(...recovery);
  return Promise.all(
    taskQueues.map((taskQueue) =>
      TemporalWorker.create({
        connection,
        namespace,
        taskQueue,
        ...(options.identity === undefined ? {} : { identity: options.identity }),
        // Workers without workflow code make calls only.
        ...(code === undefined || loaded.queues.has(taskQueue) ? {} : { workflowBundle: code }),
        ...identified(version),
        ...workerSettings,
        ...queueSettings(loaded, taskQueue, options.concurrency, taskQueues.length > 1),
        dataConverter: payloadConverter(loaded),
        ...(drain === undefined ? {} : { shutdownGraceTime: NO_TIMEOUT }),
        ...settings,
      }),
    ),
  );
}

async function workflowCode(
  { bundle, version }: AgentWorkersOptions,
  { deployment }: LoadedConfig,
): Promise<WorkflowBundleOption> {
  const code = bundle ?? (await workflowBundle());
  return version === undefined ? code : versionedBundle(code, deployment);
}

/** Options by which the server distinguishes a worker's code from others. */
export function identified(
  version: DeploymentVersion | undefined,
): Pick<WorkerOptions, 'buildId' | 'workerDeploymentOptions'> {
  if (version === undefined) return { buildId: BUILD };
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: { deploymentName: version.name, buildId: version.version },
      defaultVersioningBehavior: 'PINNED',
    },
  };
}

export { payloadConverter, startRecovery, startTelemetry };

/** Settings of the Temporal worker, each with its reason. */
export const workerSettings = {
  workflowThreadPoolSize: 1,
  maxHeartbeatThrottleInterval: '1s',
  shutdownGraceTime: '5s',
} as const satisfies Partial<WorkerOptions>;

/**
 * Number and rate of the calls on a task queue. `concurrency`, a worker's own option, overrides the config's. If the worker serves
 * several queues, it does not override the number of a queue.
 */
export function queueSettings(
  { queues, concurrency: usual }: LoadedConfig,
  taskQueue: string | undefined,
  concurrency?: number,
  servesOthers = false,
): Pick<WorkerOptions, 'maxConcurrentActivityTaskExecutions' | 'maxTaskQueueActivitiesPerSecond'> {
  const { concurrency: own, maxPerSecond } = queues.get(taskQueue ?? '') ?? {};
  const first = servesOthers ? (own ?? concurrency) : (concurrency ?? own);
  return {
    maxConcurrentActivityTaskExecutions: first ?? usual,
    ...(maxPerSecond === undefined ? {} : { maxTaskQueueActivitiesPerSecond: maxPerSecond }),
  };
}

/** Settings that let any worker run agents. Named, so that no internal type of the SDK gets into our declarations. */
export interface ActivitySettings {
  activities: ReturnType<typeof createActivities>;
  sinks: InjectedSinks<ReloopSinks>;
  interceptors: { activity: ActivityInterceptorsFactory[] };
}

type SettingsOptions = Pick<
  CreateWorkerOptions,
  'identity' | 'address' | 'rollingDeploys' | 'transcriptCacheBytes' | 'onWarning'
> & {
  /** The user's own default activity, for activities that the worker does not know. */
  ownDefault?: AnyActivity | undefined;
  telemetry?: Telemetry | undefined;
  /** Task queue of runs that the same process serves. Default: the config's. */
  runQueue?: string | undefined;
};

export function activitySettings(
  loaded: LoadedConfig,
  searchAttributes: boolean,
  options: SettingsOptions = {},
): ActivitySettings {
  const { identity, address, telemetry, runQueue = loaded.taskQueue } = options;
  const { limitsOf, budgetsOf, queues } = loaded;
  const runQueueOf = (own: string) => (queues.has(own) ? runQueue : own);
  const { rollingDeploys = true, transcriptCacheBytes = TRANSCRIPT_CACHE_BYTES } = options;
  const { onWarning = (text: string) => process.emitWarning(text) } = options;
  loaded.skills?.keep(onWarning);
  const { events, everyMs } = workerParts(loaded, { address, onWarning });
  const dependencies = {
    ...loaded,
    models: guardedModels(loaded, telemetry),
    beginTrace: telemetry?.begin,
    signToken: environmentSigner()?.sign,
    agents: [...loaded.agents.keys()],
    replies:
      loaded.cache === false ? undefined : createReplyCache(loaded.cache === true ? undefined : loaded.cache),
    limiter:
      limitsOf &&
      createModelLimiter({
        limitsOf,
        runQueueOf,
        waited: telemetry?.limitWaited,
      }),
    budgets: budgetsOf && createBudgetKeeper({ budgetsOf, runQueueOf, counted: telemetry?.budgetCounted }),
    events,
    searchAttributes,
    rollingDeploys,
    identity,
    address,
    transcriptCacheBytes,
  };
  const heartbeats = {
    everyMs,
    hasStorage: loaded.storage !== undefined,
    live: createLivePublisher(loaded.live, onWarning),
  };
  return {
    activities: createActivities(dependencies, options.ownDefault),
    sinks: eventSinks(loaded, telemetry),
    interceptors: {
      activity: [
        (context) => ({
          inbound: {
            execute(input, next) {
              rememberToolMeta(context, input.headers, input.args);
              setHeartbeats(context, heartbeats);
              return next(input);
            },
          },
        }),
        ...(telemetry === undefined ? [] : [telemetry.interceptor]),
      ],
    },
  };
}

/** The models with metrics of each request, and with the breaker around these. */
function guardedModels(
  { breaker, models }: LoadedConfig,
  telemetry: Telemetry | undefined,
): ReadonlyMap<string, Model> {
  const measured = telemetry?.measured(models) ?? models;
  if (breaker === undefined) return measured;
  return withBreaker(measured, breaker, (change) => {
    telemetry?.outage(change);
    activityLog.warn(change.text);
  });
}

function eventSinks({ onEvent }: LoadedConfig, telemetry: Telemetry | undefined): InjectedSinks<ReloopSinks> {
  let warned = false;
  const emitOnce = new EmitOnce();
  return {
    reloop: {
      told: {
        callDuringReplay: false,
        async fn({ workflowId, runId }, { n, key, event, spans, wait }) {
          if (!emitOnce.isNew(runId, n, key)) return;
          for (const span of spans) telemetry?.sinks.span(span);
          if (wait !== undefined) telemetry?.sinks.wait(wait);
          if (event === undefined) return;
          try {
            await onEvent?.(event, { id: workflowId, runId });
          } catch (error) {
            // The SDK would print the whole run with each event.
            if (!warned) process.emitWarning(`The config's onEvent threw at ${event.type}: ${String(error)}`);
            warned = true;
          }
        },
      },
    },
  };
}
