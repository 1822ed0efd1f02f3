import type {
  ActivityInterceptorsFactory,
  InjectedSinks,
  NativeConnection,
  Worker,
  WorkerOptions,
  WorkflowBundleOption,
} from '@temporalio/worker';
import { type AnyActivity, createActivities, rememberToolMeta } from '../activities/index.ts';
import type { ReloopSinks } from '../workflows/emit.ts';
import { setBeatInterval } from '../activities/beat-interval.ts';
import { createReplyCache } from '../activities/reply-cache.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { BUILD } from '../agent/names.ts';
import { heartbeatInterval } from '../config/heartbeats-option.ts';
import { TRANSCRIPT_CACHE_BYTES } from '../config/defaults.ts';
import { PATIENT, cutOffInterceptor } from './cut-off.ts';
import { startRecovery } from './recovery.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { usualHeartbeats } from './usual-heartbeats.ts';
import { workflowBundle } from './workflow-bundle.ts';

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
  /** Where the connection leads: for messages, and for how often heartbeats are sent where the config does not say. */
  address?: string;
  /**
   * Folder of this machine in which the worker keeps which calls it has in hand. When it is killed, the next worker of the
   * same folder has them tried again at once. Default: none; then they are tried again after the heartbeat time-out.
   */
  stateDir?: string | undefined;
  /** For some seconds other workers of the queue may know other agents than this one. Default true. */
  rollingDeploys?: boolean;
  /** A problem that does not keep the worker from running. */
  onWarning?(text: string): void;
}

/**
 * A worker that runs the agents of a config. The caller runs and ends it. With `cutOff` its calls go on after its shutdown
 * until that aborts; else for some seconds.
 */
export async function createAgentWorker(
  loaded: LoadedConfig,
  options: CreateWorkerOptions,
  cutOff?: AbortSignal,
): Promise<Worker> {
  const { connection, namespace = 'default', taskQueue = loaded.taskQueue, onWarning } = options;
  const scope = { namespace, address: options.address };
  const [{ Worker: TemporalWorker }, searchAttributes, code, recovery] = await Promise.all([
    import('@temporalio/worker'),
    registerSearchAttributes(connection, namespace, onWarning),
    options.bundle ?? workflowBundle(),
    startRecovery(options.stateDir, scope, connection),
  ]);
  const settings = activitySettings(loaded, searchAttributes, options);
  if (cutOff !== undefined) settings.interceptors.activity.unshift(cutOffInterceptor(cutOff));
  settings.interceptors.activity.unshift(...recovery);
  return TemporalWorker.create({
    connection,
    namespace,
    taskQueue,
    ...(options.identity === undefined ? {} : { identity: options.identity }),
    workflowBundle: code,
    buildId: BUILD,
    ...workerSettings,
    ...(cutOff === undefined ? {} : { shutdownGraceTime: PATIENT }),
    ...settings,
  });
}

export { startRecovery };

/** Measured: design notes in docs/architecture.md. */
export const workerSettings = {
  workflowThreadPoolSize: 1,
  // After a crash the workflow task goes to another worker after 1 s instead of 10.
  stickyQueueScheduleToStartTimeout: '1s',
  maxHeartbeatThrottleInterval: '1s',
  shutdownGraceTime: '5s',
} as const satisfies Partial<WorkerOptions>;

/** What makes any worker one that can run agents. Named, so that no type of the SDK's inside gets into our declarations. */
export interface ActivitySettings {
  activities: ReturnType<typeof createActivities>;
  sinks: InjectedSinks<ReloopSinks>;
  interceptors: { activity: ActivityInterceptorsFactory[] };
}

type SettingsOptions = Pick<
  CreateWorkerOptions,
  'identity' | 'address' | 'rollingDeploys' | 'transcriptCacheBytes'
> & {
  /** What a worker of the user's own runs for activities that it does not know. */
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
  const beatIntervalMs = heartbeatInterval(loaded.heartbeats ?? usualHeartbeats(address));
  return {
    activities: createActivities(dependencies, options.ownDefault),
    sinks: eventSinks(loaded),
    interceptors: {
      activity: [
        (context) => ({
          inbound: {
            execute(input, next) {
              rememberToolMeta(context, input.headers);
              setBeatInterval(context, beatIntervalMs);
              return next(input);
            },
          },
        }),
      ],
    },
  };
}

/** Where the workflows of this worker tell what happens. */
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
