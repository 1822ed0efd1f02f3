import type { ActivitySettings } from '../../worker/create-worker.ts';
import { BUILD } from '../../agent/values/names.ts';
import { AGENT_RUN, type RunState, statusQuery } from '../../workflows/messages.ts';
import type { ActivityRunner, LocalCall } from './activity-runner.ts';
import { cancelledAtOnce, commandText, commandsToSend, replayedJobs } from './core.ts';
import type { Execution } from './execution.ts';
import type { RecordedActivation } from './workflow-tasks.ts';
import type { LocalMarker } from './local-marker.ts';
import type { VirtualProcess } from './process.ts';
import type { Activated, Activation, Command, Instance, Sandbox } from './sdk.ts';
import type { Values } from './values.ts';
import { clockStill } from './virtual-time.ts';

/** Called when a replay gives other commands than the first execution. */
export type OnDivergence = (execution: Execution, expected: unknown, found: unknown) => void;

/** Runs the workflow tasks of a worker, with its cache. */
export class WorkflowRunner {
  readonly #process: VirtualProcess;
  readonly #sandbox: Sandbox;
  readonly #sinks: ActivitySettings['sinks'];
  readonly #activities: ActivityRunner;
  readonly #values: Values;
  readonly #onDivergence: OnDivergence;
  /** With the number of activations that each has seen: one that has missed some is stale. */
  readonly #cache = new Map<string, { instance: Instance; seen: number }>();
  /** Workflows with a task under way. */
  readonly #busy = new Set<Instance>();

  constructor(
    process: VirtualProcess,
    sandbox: Sandbox,
    sinks: ActivitySettings['sinks'],
    activities: ActivityRunner,
    values: Values,
    onDivergence: OnDivergence,
  ) {
    this.#process = process;
    this.#sandbox = sandbox;
    this.#sinks = sinks;
    this.#activities = activities;
    this.#values = values;
    this.#onDivergence = onDivergence;
  }

  /** Drops one workflow from the cache, or all: the next task replays. */
  evict(runId?: string): void {
    for (const [id, { instance }] of this.#cache) {
      if (runId !== undefined && id !== runId) continue;
      void instance.dispose();
      this.#cache.delete(id);
    }
  }

  /** The process is dead. */
  kill(): void {
    for (const instance of this.#busy) void instance.dispose();
    this.#busy.clear();
    this.evict();
  }

  async run(execution: Execution): Promise<void> {
    const { runId } = execution;
    const { token, ...task } = execution.tasks.begin();
    // While a task is under way its workflow is not in the cache: another task of the run, after a time-out, replays.
    const cached = this.#cache.get(runId);
    this.#cache.delete(runId);
    const isFresh = cached?.seen === execution.tasks.replay.length;
    if (!isFresh) void cached?.instance.dispose();
    let instance = isFresh ? cached?.instance : undefined;
    try {
      instance ??= await this.#replay(execution);
      this.#busy.add(instance);
      const { activations, flags, markers, failure } = await this.#activateAll(execution, instance, task);
      const held = failure === undefined ? await this.#ask(execution, instance, task) : undefined;
      await this.#process.request();
      if (failure !== undefined) execution.tasks.fail(token, 'failure', failure);
      else if (execution.tasks.finish(token, activations, commandsToSend(activations), flags, markers)) {
        this.#busy.delete(instance);
        execution.held = held;
        this.#keep(execution, instance);
        return;
      }
    } catch (error) {
      execution.server.observer.broken(error);
    }
    if (instance === undefined) return;
    this.#busy.delete(instance);
    void instance.dispose();
  }

  #keep(execution: Execution, instance: Instance): void {
    const other = this.#cache.get(execution.runId);
    if (execution.isOpen && other === undefined)
      this.#cache.set(execution.runId, { instance, seen: execution.tasks.replay.length });
    else void instance.dispose();
  }

  /** Asks a run for its state. The question takes no time, and is no task. */
  async #ask(
    { request, tasks }: Execution,
    instance: Instance,
    task: Omit<Activation, 'isReplaying' | 'flags'>,
  ): Promise<RunState | undefined> {
    if (request.type !== AGENT_RUN) return undefined;
    const activation = { ...task, flags: [...tasks.flags] };
    return (await clockStill(() => instance.query(statusQuery.name, activation))) as RunState;
  }

  async #start(execution: Execution): Promise<Instance> {
    const { request } = execution;
    return this.#sandbox.start({
      workflowId: execution.id,
      runId: execution.runId,
      type: request.type,
      taskQueue: request.taskQueue,
      buildId: BUILD,
      firstRunId: execution.firstRunId,
      originalRunId: execution.original.runId,
      continuedFrom: request.continuedFrom?.runId,
      parent:
        request.parent === undefined
          ? undefined
          : { workflowId: request.parent.execution.id, runId: request.parent.execution.runId },
      memo: Object.fromEntries(
        Object.entries(request.memo).map(([name, payload]) => [name, this.#values.read(payload)]),
      ),
      now: execution.original.startedAt,
      seed: execution.seed,
      converter: this.#values.loaded,
    });
  }

  /** Runs the finished tasks again, and compares the commands. */
  async #replay(execution: Execution): Promise<Instance> {
    const instance = await clockStill(() => this.#start(execution));
    for (const recorded of execution.tasks.replay) {
      const jobs = replayedJobs(recorded);
      execution.server.activations++;
      const { clear, failure } = await clockStill(() =>
        instance.activate({ ...recorded, jobs, isReplaying: true, flags: [...execution.tasks.flags] }),
      );
      const expected = commandText(recorded.clear);
      const found = failure === undefined ? commandText(clear) : failure;
      if (JSON.stringify(found) !== JSON.stringify(expected)) this.#onDivergence(execution, expected, found);
    }
    return instance;
  }

  async #activateAll(
    execution: Execution,
    instance: Instance,
    task: Omit<Activation, 'isReplaying' | 'flags'>,
  ): Promise<{
    activations: RecordedActivation[];
    flags: number[];
    markers: LocalMarker[];
    failure: Activated['failure'];
  }> {
    const activations: RecordedActivation[] = [];
    const flags: number[] = [];
    const markers: LocalMarker[] = [];
    const local = new Map<number, LocalCall>();
    const commands: Command[] = [];
    let jobs = task.jobs;
    for (;;) {
      execution.server.activations++;
      const activated = await clockStill(() =>
        instance.activate({ ...task, jobs, isReplaying: false, flags: [...execution.tasks.flags, ...flags] }),
      );
      this.#callSinks(execution, activated);
      const { failure } = activated;
      if (failure !== undefined) return { activations, flags, markers, failure };
      flags.push(...activated.flags);
      activations.push({ ...task, jobs, commands: activated.commands, clear: activated.clear });
      for (const command of activated.commands) {
        const seq = Number(command.scheduleLocalActivity?.seq ?? command.requestCancelLocalActivity?.seq);
        if (command.scheduleLocalActivity) local.set(seq, this.#activities.runLocal(execution, command, seq));
        if (command.requestCancelLocalActivity) local.get(seq)?.cancel();
      }
      const answers = cancelledAtOnce(commands, activated.commands, (seq) =>
        execution.activities.get(seq)?.ifTried(),
      );
      commands.push(...activated.commands);
      if (answers.length > 0) {
        jobs = answers;
        continue;
      }
      if (local.size === 0) return { activations, flags, markers, failure };
      const { seq, job, marker } = await Promise.race([...local.values()].map(({ end }) => end));
      local.delete(seq);
      markers.push(marker);
      jobs = [job];
    }
  }

  #callSinks(execution: Execution, { sinkCalls }: Activated): void {
    for (const { ifaceName, fnName, args } of sinkCalls) {
      const sinks = this.#sinks as unknown as {
        [name: string]: { [name: string]: { fn: (info: unknown, ...args: unknown[]) => unknown } };
      };
      void sinks[ifaceName]?.[fnName]?.fn({ workflowId: execution.id, runId: execution.runId }, ...args);
    }
  }
}
