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
import { setHeartbeatInterval } from '../activities/attempt/heartbeat.ts';
import { createReplyCache } from '../activities/reply-cache.ts';
import type { LoadedConfig } from '../config/load/loaded-config.ts';
import { BUILD } from '../agent/values/names.ts';
import { checkedConcurrency } from '../config/options/concurrency-option.ts';
import { heartbeatInterval, usualHeartbeats } from '../config/heartbeats-option.ts';
import { NO_TIMEOUT, drainInterceptor } from './recovery/drain.ts';
import { startRecovery } from './recovery/recovery.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { workflowBundle } from './workflow-bundle.ts';

const TRANSCRIPT_CACHE_BYTES = 64_000_000;

export interface CreateWorkerOptions {
  connection: NativeConnection;
  namespace?: string;
  /** Default: the config's. */
  taskQueue?: string;
  /** As the Web UI lists this worker. Default: process id and host. */
  identity?: string;
  /** Workflow code of your own that contains ours; default: ours alone. */
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
   * Concurrent calls of models and tools. Default: the config's, else 500. Throws ConfigError for a value that is not a
   * number from 1.
   */
  concurrency?: number | undefined;
  /** For some seconds other workers of the queue may know other agents than this one. Default true. */
  rollingDeploys?: boolean;
  /** A problem that does not keep the worker from running. */
  onWarning?(text: string): void;
}

/**
 * A worker that runs the agents of a config. The caller runs and ends it. With `drain` its calls continue after its
 * shutdown until that aborts; else for some seconds.
 */
export async function createAgentWorker(
  loaded: LoadedConfig,
  options: CreateWorkerOptions,
  drain?: AbortSignal,
): Promise<Worker> {
  const { connection, namespace = 'default', taskQueue = loaded.taskQueue, onWarning } = options;
  const concurrency = checkedConcurrency('createWorker', options.concurrency) ?? loaded.concurrency;
  const scope = { namespace, address: options.address };
  const [{ Worker: TemporalWorker }, searchAttributes, code, recovery] = await Promise.all([
    import('@temporalio/worker'),
    registerSearchAttributes(connection, namespace, onWarning),
    options.bundle ?? workflowBundle(),
    startRecovery(options.stateDir, scope, connection),
  ]);
  const settings = activitySettings(loaded, searchAttributes, options);
  if (drain !== undefined) settings.interceptors.activity.unshift(drainInterceptor(drain));
  settings.interceptors.activity.unshift(...recovery);
  return TemporalWorker.create({
    connection,
    namespace,
    taskQueue,
    ...(options.identity === undefined ? {} : { identity: options.identity }),
    workflowBundle: code,
    buildId: BUILD,
    ...workerSettings,
    maxConcurrentActivityTaskExecutions: concurrency,
    ...(drain === undefined ? {} : { shutdownGraceTime: NO_TIMEOUT }),
    ...settings,
  });
}

export { startRecovery };

/** Settings of the Temporal worker, each with its reason. */
export const workerSettings = {
  workflowThreadPoolSize: 1,
  maxHeartbeatThrottleInterval: '1s',
  shutdownGraceTime: '5s',
} as const satisfies Partial<WorkerOptions>;

/** Settings that let any worker run agents. Named, so that no internal type of the SDK gets into our declarations. */
export interface ActivitySettings {
  activities: ReturnType<typeof createActivities>;
  sinks: InjectedSinks<ReloopSinks>;
  interceptors: { activity: ActivityInterceptorsFactory[] };
}

type SettingsOptions = Pick<
  CreateWorkerOptions,
  'identity' | 'address' | 'rollingDeploys' | 'transcriptCacheBytes'
> & {
  /** The user's own default activity, for activities that the worker does not know. */
  ownDefault?: AnyActivity | undefined;
};

export function activitySettings(
  loaded: LoadedConfig,
  searchAttributes: boolean,
  options: SettingsOptions = {},
): ActivitySettings {
  const { identity, address, rollingDeploys = true, transcriptCacheBytes = TRANSCRIPT_CACHE_BYTES } = options;
  const dependencies = {
    ...loaded,
    agents: [...loaded.agents.keys()],
    replies:
      loaded.cache === false ? undefined : createReplyCache(loaded.cache === true ? undefined : loaded.cache),
    events: loaded.onEvent !== undefined,
    searchAttributes,
    rollingDeploys,
    identity,
    address,
    transcriptCacheBytes,
  };
  const heartbeatMs = heartbeatInterval(loaded.heartbeats ?? usualHeartbeats(address));
  return {
    activities: createActivities(dependencies, options.ownDefault),
    sinks: eventSinks(loaded),
    interceptors: {
      activity: [
        (context) => ({
          inbound: {
            execute(input, next) {
              rememberToolMeta(context, input.headers);
              setHeartbeatInterval(context, heartbeatMs);
              return next(input);
            },
          },
        }),
      ],
    },
  };
}

function eventSinks({ onEvent }: LoadedConfig): InjectedSinks<ReloopSinks> {
  let warned = false;
  return {
    reloop: {
      event: {
        callDuringReplay: false,
        async fn({ workflowId, runId }, event) {
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
