import type { BundleOptions, BundlerPlugin, Worker, WorkerOptions, WorkerPlugin } from '@temporalio/worker';
import { createLoadedConfig } from '../config/load/loaded-config.ts';
import { checkConfig } from '../config/check.ts';
import { type ConfigDefinition, ConfigError } from '../config/define.ts';
import { versionOf } from '../config/deployment-option.ts';
import type { AnyActivity } from '../activities/index.ts';
import type { CreateWorkerOptions } from './create-worker.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { workflowsPath } from './workflow-bundle.ts';

/** A worker that runs the agents of a config and nothing else. Throws ConfigError. */
export async function createWorker(config: ConfigDefinition, options: CreateWorkerOptions): Promise<Worker> {
  const loaded = createLoadedConfig(checkConfig(config, 'createWorker'));
  const { createAgentWorker } = await workerParts();
  return createAgentWorker(loaded, options);
}

/**
 * Adds agents to your own worker: `Worker.create({ plugins: [new ReloopPlugin(config)], workflowsPath, … })`. Your
 * workflows call `runAgent`; to serve `reloop run` as well, they `export * from 'reloop/workflows'`. A worker of one of the config's `queues`
 * has that as its `taskQueue`, and no workflows.
 */
export class ReloopPlugin implements WorkerPlugin, BundlerPlugin {
  readonly name = 'reloop';
  readonly #config: ConfigDefinition;
  readonly #stateDir: string | undefined;

  /** `stateDir`: as of `createWorker`. Throws ConfigError when the worker is created, not here. */
  constructor(config: ConfigDefinition, { stateDir }: Pick<CreateWorkerOptions, 'stateDir'> = {}) {
    this.#config = config;
    this.#stateDir = stateDir;
  }

  async configureWorker(options: WorkerOptions): Promise<WorkerOptions> {
    const loaded = createLoadedConfig(checkConfig(this.#config, 'ReloopPlugin'));
    const {
      activitySettings,
      payloadConverter,
      identified,
      queueSettings,
      startRecovery,
      startTelemetry,
      workerSettings,
    } = await workerParts();
    const { connection, namespace = 'default' } = options;
    const registered = connection !== undefined && (await registerSearchAttributes(connection, namespace));
    const own: { [name: string]: unknown } = { ...options.activities };
    const telemetry = await startTelemetry(loaded, {
      connection,
      namespace,
      searchAttributes: registered,
      onWarning: (text) => process.emitWarning(text),
    });
    const ours = activitySettings(loaded, registered, { ownDefault: defaultOf(own), telemetry });
    checkNames(Object.keys(own), Object.keys(ours.activities));
    const scope = { namespace, address: undefined };
    const recovery = await startRecovery(this.#stateDir, scope, connection);
    // A worker with its own versions identifies itself by its own build id.
    const { buildId, useVersioning, workerDeploymentOptions } = options;
    const hasVersions =
      buildId !== undefined || useVersioning === true || workerDeploymentOptions !== undefined;
    const { maxConcurrentActivityTaskExecutions, ...rate } = queueSettings(loaded, options.taskQueue);
    return {
      ...rate,
      // The SDK's default sends a call's state up to 8 s late, and overwrites a newer one.
      maxHeartbeatThrottleInterval: workerSettings.maxHeartbeatThrottleInterval,
      ...(options.tuner === undefined ? { maxConcurrentActivityTaskExecutions } : {}),
      ...(hasVersions ? {} : identified(versionOf(loaded.deployment))),
      ...options,
      dataConverter: payloadConverter(loaded, options.dataConverter),
      activities: { ...own, ...ours.activities },
      sinks: { ...options.sinks, ...ours.sinks },
      interceptors: {
        ...options.interceptors,
        activity: [...recovery, ...(options.interceptors?.activity ?? []), ...ours.interceptors.activity],
        workflowModules: [...(options.interceptors?.workflowModules ?? []), workflowsPath],
      },
    };
  }

  /** Prepares workflows that are bundled beforehand: `bundleWorkflowCode({ plugins: [plugin], … })`. */
  configureBundler(options: BundleOptions): BundleOptions {
    const { workflowInterceptorModules: modules = [], preloadModules = [] } = options;
    if (modules.includes(workflowsPath)) return options;
    return {
      ...options,
      workflowInterceptorModules: [...modules, workflowsPath],
      preloadModules: [...preloadModules, workflowsPath],
    };
  }
}

/** Loaded when a worker is made: every config imports this module, and most of them for the definitions alone. */
function workerParts() {
  return import('./create-worker.ts');
}

/** Name of the activity that Temporal's worker runs for unknown names. */
const DEFAULT = 'default';

function defaultOf(activities: { [name: string]: unknown }): AnyActivity | undefined {
  const own = activities[DEFAULT];
  return typeof own === 'function' ? (own as AnyActivity) : undefined; // an activity takes what it is called with
}

/** If two activities had the same name, one of them would never run. */
function checkNames(own: string[], ours: string[]): void {
  const twice = own.filter((name) => name !== DEFAULT && ours.includes(name));
  if (twice.length === 0) return;
  throw new ConfigError(
    `ReloopPlugin: this worker's own activities ${twice.join(', ')} have names of tools of the config or of Reloop's activities. Rename them, or the tools. (A worker takes one ReloopPlugin: put all agents into its config.)`,
  );
}
