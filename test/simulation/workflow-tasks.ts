import { applyCommand } from './commands.ts';
import type { Execution } from './execution.ts';
import { type LocalMarker, recordLocal } from './local-marker.ts';
import { type Activation, type Command, type Failure, type Job, protos, timestamp } from './sdk.ts';

const { WorkflowTaskFailedCause } = protos.temporal.api.enums.v1;

/** One activation of a finished workflow task with the commands that it gave: a replay must give the same. */
export interface RecordedActivation extends Omit<Activation, 'isReplaying' | 'flags'> {
  commands: Command[];
  /** The commands before their encryption. */
  clear: Command[];
}

/** A finished task, from which a reset may begin again. */
export interface FinishedTask {
  scheduledEventId: number;
  startedEventId: number;
  /** Number of activations before it. */
  before: number;
  jobs: readonly Job[];
}

const TASK_TIMEOUT_MS = 10_000;

/** Limit of the real server for one message. */
const MOST_BYTES = 4 * 1024 * 1024;

/** The workflow tasks of an execution: what the next one brings, and what a finished one does. */
export class WorkflowTasks {
  readonly #execution: Execution;
  /** Activations of the finished tasks. */
  readonly replay: RecordedActivation[] = [];
  readonly finished: FinishedTask[] = [];
  readonly flags = new Set<number>();
  state: 'none' | 'scheduled' | 'started' = 'none';
  attempt = 1;
  #token = 0;
  #jobs: Job[] = [];
  #buffered: (() => void)[] = [];
  #scheduledId: number | undefined;
  #startedId: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  addJob(job: Job): void {
    this.#jobs.push(job);
  }

  /** After a reset: takes over what was finished before a task, and does that task again. */
  restore(base: WorkflowTasks, task: number): void {
    const { before = 0, jobs = [] } = base.finished[task] ?? {};
    this.replay.push(...base.replay.slice(0, before));
    this.finished.push(...base.finished.slice(0, task));
    for (const flag of base.flags) this.flags.add(flag);
    const randomnessSeed = this.#execution.server.random.int(1, 2 ** 31) as never;
    this.#jobs.push(...jobs.filter(({ doUpdate }) => !doUpdate), { updateRandomSeed: { randomnessSeed } });
  }

  /** Applies a fact of the outside, or keeps it until the workflow task under way is over. */
  receive(fact: () => void): void {
    if (!this.#execution.isOpen) return;
    if (this.state === 'started') {
      this.#buffered.push(() => this.#execution.isOpen && fact());
      return;
    }
    this.#convertSpeculative();
    fact();
    this.#schedule(false);
  }

  /** A new update waits for the next workflow task. */
  updateAdmitted(): void {
    if (this.state === 'none') this.#schedule(true);
  }

  #schedule(speculative: boolean): void {
    if (this.state !== 'none') return;
    this.state = 'scheduled';
    this.#scheduledId = speculative ? undefined : this.#addScheduled();
    this.#execution.server.dispatchWorkflowTask(this.#execution);
  }

  #addScheduled(): number {
    return this.#execution.add('EVENT_TYPE_WORKFLOW_TASK_SCHEDULED', {
      workflowTaskScheduledEventAttributes: {
        taskQueue: { name: this.#execution.request.taskQueue },
        startToCloseTimeout: timestamp(TASK_TIMEOUT_MS),
        attempt: this.attempt,
      },
    });
  }

  /** A task that exists for updates alone gets its events when something else happens. */
  #convertSpeculative(): void {
    if (this.state === 'scheduled') this.#scheduledId ??= this.#addScheduled();
  }

  /** A worker takes the task: what is new for the workflow. */
  begin(): Omit<Activation, 'isReplaying' | 'flags'> & { token: number } {
    this.state = 'started';
    const token = ++this.#token;
    if (this.#scheduledId !== undefined) this.#addStarted();
    this.#timer = setTimeout(() => this.fail(token, 'timeout'), TASK_TIMEOUT_MS);
    const jobs = [...this.#jobs, ...this.#execution.updates.jobs()];
    const historyLength = this.#execution.history.length + (this.#scheduledId === undefined ? 2 : 0);
    return {
      token,
      at: Date.now(),
      historyLength,
      historyBytes: this.#execution.historyBytes,
      continueAsNewSuggested: historyLength > this.#execution.server.suggestedLength,
      jobs: sorted(jobs),
    };
  }

  #addStarted(): void {
    this.#startedId = this.#execution.add('EVENT_TYPE_WORKFLOW_TASK_STARTED', {
      workflowTaskStartedEventAttributes: {
        scheduledEventId: this.#scheduledId as never,
        identity: 'simulation',
        historySizeBytes: this.#execution.historyBytes as never,
      },
    });
  }

  /** The task's worker failed it or is gone: the same jobs go again. */
  fail(token: number, cause: 'timeout' | 'failure' | 'unhandled', failure?: Failure): void {
    if (this.state !== 'started' || token !== this.#token || !this.#execution.isOpen) return;
    clearTimeout(this.#timer);
    if (this.#scheduledId !== undefined && this.attempt === 1) {
      const ids = { scheduledEventId: this.#scheduledId as never, startedEventId: this.#startedId as never };
      if (cause === 'timeout')
        this.#execution.add('EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT', {
          workflowTaskTimedOutEventAttributes: ids,
        });
      else
        this.#execution.add('EVENT_TYPE_WORKFLOW_TASK_FAILED', {
          workflowTaskFailedEventAttributes: {
            ...ids,
            cause:
              cause === 'unhandled'
                ? WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND
                : WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE,
            ...(failure === undefined ? {} : { failure }),
          },
        });
    }
    this.#execution.server.workflowTaskFailed(this.#execution, cause, failure);
    this.state = 'none';
    this.#flush();
    this.#schedule(this.#jobs.length === 0);
  }

  /** The worker answers: its activations with their commands, in order. Returns false if the task goes again. */
  finish(
    token: number,
    activations: readonly RecordedActivation[],
    commands: readonly Command[],
    flags: readonly number[],
    markers: readonly LocalMarker[],
  ): boolean {
    if (this.state !== 'started' || token !== this.#token || !this.#execution.isOpen) return false;
    const last = commands.find(isTerminal);
    if (last !== undefined && this.#buffered.length > 0) {
      this.fail(token, 'unhandled');
      return false;
    }
    const bytes = bytesOf([commands, markers]);
    if (bytes > MOST_BYTES) {
      this.fail(token, 'failure', {
        message: `The task has ${bytes} bytes, and the server takes ${MOST_BYTES}`,
      });
      return false;
    }
    clearTimeout(this.#timer);
    for (const flag of flags) this.flags.add(flag);
    const others = commands.filter((command) => !command.updateResponse);
    const rejectsOnly =
      this.#scheduledId === undefined &&
      others.length === 0 &&
      commands.every(({ updateResponse }) => updateResponse?.rejected);
    this.#jobs = [];
    if (rejectsOnly) {
      this.state = 'none';
      for (const command of commands) this.#execution.updates.respond(command);
    } else {
      if (this.#scheduledId === undefined) {
        this.#scheduledId = this.#addScheduled();
        this.#addStarted();
      }
      this.#execution.add('EVENT_TYPE_WORKFLOW_TASK_COMPLETED', {
        workflowTaskCompletedEventAttributes: {
          scheduledEventId: this.#scheduledId as never,
          startedEventId: this.#startedId as never,
          identity: 'simulation',
        },
      });
      this.finished.push({
        scheduledEventId: this.#scheduledId,
        startedEventId: Number(this.#startedId),
        before: this.replay.length,
        jobs: activations[0]?.jobs ?? [],
      });
      this.replay.push(...activations);
      this.attempt = 1;
      this.state = 'none';
      for (const marker of markers) recordLocal(this.#execution, marker);
      for (const command of commands) if (this.#execution.isOpen) applyCommand(this.#execution, command);
    }
    if (!this.#execution.isOpen) return true;
    this.#flush();
    if (this.#jobs.length > 0) this.#schedule(false);
    else if (this.#execution.updates.hasWaiting) this.#schedule(true);
    return true;
  }

  #flush(): void {
    const buffered = this.#buffered;
    this.#buffered = [];
    for (const fact of buffered) fact();
  }

  /** The execution is over. */
  stop(): void {
    this.state = 'none';
    clearTimeout(this.#timer);
  }
}

const isTerminal = (command: Command): boolean =>
  Boolean(
    command.completeWorkflowExecution ??
    command.failWorkflowExecution ??
    command.cancelWorkflowExecution ??
    command.continueAsNewWorkflowExecution,
  );

/** In the order in which the SDK's core gives jobs to a workflow. */
function sorted(jobs: readonly Job[]): Job[] {
  const rank = (job: Job) =>
    job.initializeWorkflow ? 0 : job.notifyHasPatch ? 1 : job.signalWorkflow || job.doUpdate ? 2 : 3;
  return jobs
    .map((job, at) => ({ job, at }))
    .toSorted((a, b) => rank(a.job) - rank(b.job) || a.at - b.at)
    .map(({ job }) => job);
}

/** Bytes of the data in commands. Their frames are small. The arrays of a workflow's sandbox are no instances of our Uint8Array. */
function bytesOf(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, one) => sum + bytesOf(one), 0);
}
