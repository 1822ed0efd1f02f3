import type { BundleOptions, BundlerPlugin, Worker, WorkerOptions, WorkerPlugin } from '@temporalio/worker';
import { createLoadedConfig } from '../config/loaded-config.ts';
import { checkConfig } from '../config/check.ts';
import type { ConfigDefinition } from '../config/define.ts';
import {
  type CreateWorkerOptions,
  activitySettings,
  createAgentWorker,
  workerSettings,
} from './create-worker.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { workflowsPath } from './workflow-bundle.ts';

/** A worker that runs the agents of a config and nothing else. Throws ConfigError. */
export async function createWorker(config: ConfigDefinition, options: CreateWorkerOptions): Promise<Worker> {
  return createAgentWorker(createLoadedConfig(checkConfig(config, 'createWorker')), options);
}

/**
 * Adds agents to a worker of your own: `Worker.create({ plugins: [new ReloopPlugin(config)], workflowsPath, … })`. Your
 * workflows call `runAgent`; to serve `reloop run` as well, they `export * from 'reloop/workflows'`.
 */
export class ReloopPlugin implements WorkerPlugin, BundlerPlugin {
  readonly name = 'reloop';
  readonly #config: ConfigDefinition;

  /** Throws ConfigError when the worker is created, not here. */
  constructor(config: ConfigDefinition) {
    this.#config = config;
  }

  async configureWorker(options: WorkerOptions): Promise<WorkerOptions> {
    const catalog = createLoadedConfig(checkConfig(this.#config, 'ReloopPlugin'));
    const { connection, namespace = 'default' } = options;
    const registered = connection !== undefined && (await registerSearchAttributes(connection, namespace));
    const ours = activitySettings(catalog, registered);
    return {
      // Else the SDK sends a call's state up to 8 s late, over what the call has stored since.
      maxHeartbeatThrottleInterval: workerSettings.maxHeartbeatThrottleInterval,
      ...options,
      activities: { ...options.activities, ...ours.activities },
      sinks: { ...options.sinks, ...ours.sinks },
      interceptors: {
        ...options.interceptors,
        activity: [...(options.interceptors?.activity ?? []), ...ours.interceptors.activity],
        workflowModules: [...(options.interceptors?.workflowModules ?? []), workflowsPath],
      },
    };
  }

  /** For workflows that are bundled beforehand: `bundleWorkflowCode({ plugins: [plugin], … })`. */
  configureBundler(options: BundleOptions): BundleOptions {
    const modules = options.workflowInterceptorModules ?? [];
    if (modules.includes(workflowsPath)) return options;
    return { ...options, workflowInterceptorModules: [...modules, workflowsPath] };
  }
}
