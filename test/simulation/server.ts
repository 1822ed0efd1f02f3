import type { ActivityTask } from './activity-task.ts';
import { Execution, type StartRequest } from './execution.ts';
import type { Profile } from './profiles.ts';
import type { Random } from './random.ts';
import type { ResetPoint } from './reset.ts';
import type { Failure } from './sdk.ts';

/** The default of the SDK. */
const STICKY_TIMEOUT_MS = 10_000;
/** Events. The real server suggests continue-as-new from 4,096 on; short runs must get there too. */
const SUGGESTED_LENGTHS = [400, 400, 100, 40];
/** Longest time that a task of the server waits, in milliseconds. */
const LAGS_MS = [3, 3, 3, 1500];
/** Between two tries of a workflow task that fails. */
const LONGEST_BACKOFF_S = 60;

/** A worker that polls a task queue. */
export interface Poller {
  readonly identity: string;
  readonly queue: string;
  readonly isPolling: boolean;
  runWorkflowTask(execution: Execution): Promise<void>;
  runActivity(activity: ActivityTask): Promise<void>;
  /** Drops one workflow from the cache, or all. */
  evict(runId?: string): void;
  kill(): void;
}

/** Receives the changes of a simulated server, for the laws and the story. */
export interface ServerObserver {
  taskFailed(execution: Execution, cause: string, failure: Failure | undefined): void;
  started(execution: Execution): void;
  closed(execution: Execution): void;
  /** The simulator itself failed. */
  broken(error: unknown): void;
}

/** Temporal's server on the virtual clock: executions, and the tasks that workers get. */
export class VirtualServer {
  readonly random: Random;
  /** The server suggests continue-as-new from this length on. */
  readonly suggestedLength: number;
  readonly #lagMs: number;
  readonly observer: ServerObserver;
  /** All that there ever were. */
  readonly activities: ActivityTask[] = [];
  readonly workers: Poller[] = [];
  /** All executions in the order of their start. */
  readonly executions: Execution[] = [];
  readonly #latest = new Map<string, Execution>();
  readonly #byRunId = new Map<string, Execution>();
  readonly #sticky = new Map<string, Poller>();
  readonly #requests = new Map<string, unknown>();
  #backlog: { queue: string; give: (worker: Poller) => void }[] = [];
  #runIds = 0;
  activations = 0;

  constructor(random: Random, observer: ServerObserver, profile: Profile) {
    this.random = random;
    this.suggestedLength = profile.suggestedLength ?? random.of(SUGGESTED_LENGTHS);
    this.#lagMs = profile.lagMs ?? random.of(LAGS_MS);
    this.observer = observer;
  }

  newRunId(): string {
    return `run-${++this.#runIds}`;
  }

  /** Does it after the time that a task of the server takes: two tasks may change places. */
  later(action: () => void): void {
    setTimeout(action, this.random.int(0, this.#lagMs));
  }

  /** A request that is sent again has the answer of the first. */
  sameRequest<T>(id: string | null | undefined, answer: () => T): T {
    if (!id) return answer();
    if (!this.#requests.has(id)) this.#requests.set(id, answer());
    return this.#requests.get(id) as T; // stored under the id of the same request
  }

  begin(request: StartRequest, runId = this.newRunId()): Execution {
    const execution = new Execution(this, runId, request, this.random.int(1, 2 ** 31));
    this.executions.push(execution);
    this.#latest.set(execution.id, execution);
    this.#byRunId.set(runId, execution);
    this.observer.started(execution);
    return execution;
  }

  /** Ids of the open children of an execution, and of theirs. */
  openBelow(id: string): string[] {
    return this.executions
      .filter((one) => one.isOpen && one.request.parent !== undefined && one.id.startsWith(`${id}/`))
      .map((one) => one.id);
  }

  /** As `temporal workflow reset`: the id of an execution continues in a new one. */
  reset(point: ResetPoint): Execution {
    const { base } = point;
    base.resetRunId = this.newRunId();
    base.terminate('reset');
    return this.begin({ ...base.request, resetTo: point }, base.resetRunId);
  }

  find(workflowId: string, runId?: string): Execution | undefined {
    if (runId === undefined || runId === '') return this.#latest.get(workflowId);
    const found = this.#byRunId.get(runId);
    return found?.id === workflowId ? found : undefined;
  }

  dispatchWorkflowTask(execution: Execution): void {
    const attempt = () => {
      if (!execution.isOpen || execution.tasks.state !== 'scheduled') return;
      const sticky = this.#sticky.get(execution.runId);
      if (sticky?.isPolling === true) {
        void sticky.runWorkflowTask(execution);
        return;
      }
      if (sticky !== undefined) {
        this.#sticky.delete(execution.runId);
        setTimeout(attempt, STICKY_TIMEOUT_MS);
        return;
      }
      this.#give(execution.request.taskQueue, (worker) => {
        if (!execution.isOpen || execution.tasks.state !== 'scheduled') return;
        this.#sticky.set(execution.runId, worker);
        void worker.runWorkflowTask(execution);
      });
    };
    const failures = execution.tasks.attempt - 1;
    if (failures === 0) this.later(attempt);
    else setTimeout(attempt, Math.min(2 ** failures, LONGEST_BACKOFF_S) * 1000);
  }

  dispatchActivity(activity: ActivityTask): void {
    this.later(() =>
      this.#give(activity.schedule.taskQueue?.name ?? '', (worker) => {
        if (activity.state === 'scheduled') void worker.runActivity(activity);
      }),
    );
  }

  /** The next workflow task goes to any worker. */
  resetSticky({ runId }: Execution): void {
    this.#sticky.delete(runId);
  }

  workflowTaskFailed(execution: Execution, cause: string, failure: Failure | undefined): void {
    this.#sticky.delete(execution.runId);
    if (cause === 'failure') execution.tasks.attempt++;
    this.observer.taskFailed(execution, cause, failure);
  }

  closed(execution: Execution): void {
    this.#sticky.delete(execution.runId);
    for (const worker of this.workers) worker.evict(execution.runId);
    this.observer.closed(execution);
  }

  /** The worker loses what it has in its cache. */
  forget(worker: Poller): void {
    for (const [runId, sticky] of this.#sticky) if (sticky === worker) this.#sticky.delete(runId);
  }

  workerPolls(): void {
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const { queue, give } of backlog) this.#give(queue, give);
  }

  pollersOf(queue: string): Poller[] {
    return this.workers.filter((worker) => worker.isPolling && worker.queue === queue);
  }

  #give(queue: string, give: (worker: Poller) => void): void {
    const pollers = this.pollersOf(queue);
    if (pollers.length === 0) this.#backlog.push({ queue, give });
    else give(this.random.of(pollers));
  }
}
