import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { activitySettings } from '../../worker/create-worker.ts';
import { ActivityRunner } from './activity-runner.ts';
import type { ActivityTask } from './activity-task.ts';
import type { Execution } from './execution.ts';
import { VirtualProcess } from './process.ts';
import type { Sandbox } from './sdk.ts';
import { clientOf, serviceFor } from './service.ts';
import type { VirtualServer } from './server.ts';
import { type OnDivergence, WorkflowRunner } from './workflow-runner.ts';

/** A worker on the virtual clock: the real workflows and the real activities, in a process that can die. */
export class VirtualWorker {
  readonly server: VirtualServer;
  readonly queue: string;
  readonly #process: VirtualProcess;
  readonly #workflows: WorkflowRunner;
  readonly #activities: ActivityRunner;

  constructor(
    server: VirtualServer,
    sandbox: Sandbox,
    loaded: LoadedConfig,
    { identity, queue, onDivergence }: { identity: string; queue: string; onDivergence: OnDivergence },
  ) {
    this.server = server;
    this.queue = queue;
    this.#process = new VirtualProcess(identity, server.random);
    const settings = activitySettings(loaded, true, { identity });
    const service = serviceFor(server, () => this.#process.proceed());
    this.#activities = new ActivityRunner(this.#process, settings, clientOf(service, identity), queue);
    this.#workflows = new WorkflowRunner(
      this.#process,
      sandbox,
      settings.sinks,
      this.#activities,
      onDivergence,
    );
  }

  get identity(): string {
    return this.#process.identity;
  }

  get isPolling(): boolean {
    return this.#process.isRunning;
  }

  kill(): void {
    this.#process.kill();
    this.#workflows.kill();
    this.server.forget(this);
  }

  freeze(ms: number): void {
    this.#process.freeze(ms);
    setTimeout(() => this.server.workerPolls(), ms + 1);
  }

  /** Drops one workflow from the cache, or all. */
  evict(runId?: string): void {
    this.#workflows.evict(runId);
    if (runId === undefined) this.server.forget(this);
  }

  runWorkflowTask(execution: Execution): Promise<void> {
    return this.#workflows.run(execution);
  }

  runActivity(activity: ActivityTask): Promise<void> {
    return this.#activities.run(activity);
  }
}
