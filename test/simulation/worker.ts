import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { activitySettings } from '../../worker/create-worker.ts';
import type { BegunAttempt } from '../../features/recovery/worker/attempt-journal.ts';
import { failOrphans } from '../../features/recovery/worker/fail-orphans.ts';
import { ActivityRunner } from './activity-runner.ts';
import type { ActivityTask } from './activity-task.ts';
import type { Execution } from './execution.ts';
import { VirtualProcess } from './process.ts';
import type { Sandbox } from './sdk.ts';
import { type VirtualService, clientOf, serviceFor } from './service.ts';
import type { Poller, VirtualServer } from './server.ts';
import type { Values } from './values.ts';
import { sleep } from './virtual-time.ts';
import { type OnDivergence, WorkflowRunner } from './workflow-runner.ts';

/** An attempt stays in the journal for this time after its end. */
const JOURNAL_MS = 500;

export interface WorkerOptions {
  identity: string;
  queue: string;
  version: number;
  values: Values;
  onDivergence: OnDivergence;
  /** Called when the worker is killed, by others or by a tool of its own. */
  onKill(worker: VirtualWorker): void;
}

/** A worker on the virtual clock: the real workflows and the real activities, in a process that can die. */
export class VirtualWorker implements Poller {
  readonly server: VirtualServer;
  readonly queue: string;
  readonly process: VirtualProcess;
  /** Version of the config that the worker's successor has. */
  nextVersion: number;
  readonly #service: VirtualService;
  readonly #workflows: WorkflowRunner;
  readonly #activities: ActivityRunner;
  readonly #journal = new Set<BegunAttempt>();

  constructor(server: VirtualServer, sandbox: Sandbox, loaded: LoadedConfig, options: WorkerOptions) {
    const { identity, queue, version, values, onDivergence, onKill } = options;
    this.nextVersion = version;
    this.server = server;
    this.queue = queue;
    this.process = new VirtualProcess(identity, server.random, () => {
      this.#workflows.kill();
      this.server.forget(this);
      onKill(this);
    });
    const settings = activitySettings(loaded, true, { identity });
    this.#service = serviceFor(server, () => this.process.connected());
    const client = clientOf(this.#service, identity, values.converter);
    this.#activities = new ActivityRunner(this.process, settings, client, queue, values);
    this.#workflows = new WorkflowRunner(
      this.process,
      sandbox,
      settings.sinks,
      this.#activities,
      values,
      onDivergence,
    );
  }

  get identity(): string {
    return this.process.identity;
  }

  get isPolling(): boolean {
    return this.process.isPolling;
  }

  /** The attempts that die with the worker, if it is killed now. */
  get underWay(): BegunAttempt[] {
    return [...this.#journal];
  }

  kill(): void {
    this.process.kill();
  }

  freeze(ms: number): void {
    this.process.freeze(ms);
    setTimeout(() => this.server.workerPolls(), ms + 1);
  }

  cutOff(ms: number): void {
    this.process.cutOff(ms);
    setTimeout(() => this.server.workerPolls(), ms + 1);
  }

  /** Drops one workflow from the cache, or all. */
  evict(runId?: string): void {
    this.#workflows.evict(runId);
    if (runId === undefined) this.server.forget(this);
  }

  /** Tells the server of the attempts that died with another worker, as a worker does that finds its journal. */
  recover(lost: readonly BegunAttempt[]): void {
    const withDeadline = <T>(_deadline: unknown, call: () => Promise<T>) => call();
    void failOrphans({ workflowService: this.#service, withDeadline }, 'default', lost);
  }

  runWorkflowTask(execution: Execution): Promise<void> {
    return this.#workflows.run(execution);
  }

  async runActivity(activity: ActivityTask): Promise<void> {
    const { execution, schedule, attempt } = activity;
    const begun: BegunAttempt = {
      workflowId: execution.id,
      runId: execution.runId,
      activityId: schedule.activityId ?? '',
      attempt,
      taskQueue: this.queue,
      identity: this.identity,
      at: Date.now(),
    };
    this.#journal.add(begun);
    await this.#activities.run(activity);
    await sleep(JOURNAL_MS);
    if (this.process.isAlive) this.#journal.delete(begun);
  }
}
