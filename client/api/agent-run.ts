import type { Client } from '@temporalio/client';
import { callPath, workflowOfCall } from '../../agent/calls/call-path.ts';
import type { OperatorDecision, RunEvent } from '../../agent/run/events.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import type { Extension } from '../../agent/limits/extension.ts';
import type { RunMessageName, RunMessageReceipt } from '../../agent/rules/run-messages.ts';
import type { DecisionData, DecisionReceipt } from '../../workflows/messages.ts';
import { withPresent } from '../restart/present-report.ts';
import { type ExportOptions, type ReadHooks, collectExport } from '../export/collect-export.ts';
import { AgentRunCancelled, AgentRunFailed, DecisionRefused, InvalidInput } from '../connect/errors.ts';
import { type ResponseOptions, eventResponse } from '../read/event-response.ts';
import { type EventsOptions, knownPositions } from '../read/follow-events.ts';
import { type ForkOptions, fork } from '../restart/fork.ts';
import { createActionCount } from '../../history/views/billed-actions.ts';
import { createLivePoll, reportedEvents } from '../../history/list/live.ts';
import type { AskedRequest, RequestsOptions } from '../../history/views/requests.ts';
import { isForWaiting, resolveTargetCall } from '../read/resolve-target.ts';
import { endOfRun } from './end-of-run.ts';
import { openGenerator, openMethods } from '../connect/open-calls.ts';
import { RESET, explainedEvents } from '../restart/replaced-run.ts';
import type { RestartReceipt } from '../restart/restart-run.ts';
import { type RetryReceipt, type RetryRunOptions, retryRun } from '../restart/retry-run.ts';
import { type RewindOptions, rewind } from '../restart/rewind.ts';
import { foreign, numberWithoutCall } from '../read/run-sentences.ts';
import {
  type ReadableRun,
  orRunNotFound,
  locationOfOwnRun,
  readableRun,
  runExists,
} from '../read/run-location.ts';
import type { RunReport, RunResultWithSteps } from '../report.ts';
import { type FoldOptions, foldRun } from '../restart/fold-run.ts';
import type { RunExport } from '../export/run-export.ts';
import { throwWithPause } from '../connect/paused-calls.ts';
import { updateRun } from '../connect/update-run.ts';
import type { Input } from '../start/read-input.ts';
import { type RecordedStart, type RunLabels, recordedStart } from '../start/recorded-start.ts';
import { startedWith } from '../start/started-with.ts';
import type { StartOptions } from '../start/start-options.ts';
import { shortResult, withSteps } from '../read/run-outcome.ts';
import { type RunRef, isNoWorkflow } from '../../history/read/pages.ts';

export interface ResultOptions {
  /**
   * Called once for each call that waits for a person: `run.decide(waiting.call, { type: 'approve' }, waiting.n)`
   * answers. Its result is not waited for; an error ends `result`, and the run continues waiting. A DecisionRefused on
   * a wait that is over is not an error.
   */
  onWaiting?: ((waiting: WaitingCall, run: AgentRun) => unknown) | undefined;
  /** Ends the waiting with its reason. The run continues. */
  signal?: AbortSignal | undefined;
}

/** One run, wherever it is; nothing here needs a worker but `decide`. */
export class AgentRun {
  readonly id: string;
  readonly #client: Client;
  readonly #runId: string | undefined;
  #begun: string | undefined;

  static {
    openMethods(this, (run) => run.#client);
  }

  /** `runId`: default the latest of the id. `begun`: the latest, as its start has just said, for the first look at it. */
  constructor(client: Client, id: string, runId?: string, begun?: string) {
    this.#client = client;
    this.#runId = runId;
    this.#begun = begun;
    this.id = id;
  }

  /**
   * The answer. Waits for the run to end; a run that a limit stopped has an answer too, and one that was reset
   * continues as another. Throws AgentRunFailed or AgentRunCancelled, which carry what there is, and InvalidInput for a
   * workflow that is not a run of an agent.
   */
  async result(options: ResultOptions = {}): Promise<RunResultWithSteps> {
    const { onWaiting, signal } = options;
    const run = await this.#place();
    const short = onWaiting === undefined ? await shortResult(this.#client, run, signal) : undefined;
    if (short !== undefined) return short;
    const report = await endOfRun(this.#client, run, {
      signal,
      onWaiting: onWaiting && ((waiting) => onWaiting(waiting, this)),
    });
    if (report.error?.type === RESET && this.#runId === undefined) return this.result(options);
    const { stopReason } = report;
    if (report.status === 'cancelled') throw new AgentRunCancelled(report);
    if (report.status === 'completed' && stopReason === null) throw new InvalidInput(foreign(this.id));
    if (report.status === 'failed' || stopReason === null) throw new AgentRunFailed(report);
    return withSteps({ ...report, stopReason });
  }

  /**
   * All events from the run's beginning, and those to come until it ends. Can be iterated anywhere, any time, again,
   * and from any event on. Throws RunNotFound, and InvalidInput where `after` is not an event of this run.
   */
  async *events(options: EventsOptions = {}): AsyncGenerator<RunEvent> {
    yield* explainedEvents(this.#client, await this.#place(), options);
  }

  /** The same as a web response: server-sent events. `tell` returns an event as the reader may see it. Throws the errors of `events()`, before it answers. */
  async toResponse(
    options: ResponseOptions | Request = {},
    tell?: (event: RunEvent) => RunEvent,
  ): Promise<Response> {
    const run = await this.#place();
    const check = (after: string | undefined) => knownPositions(this.#client, run, after);
    // The response outlives this method.
    const events = (from: EventsOptions) =>
      openGenerator(this.#client, explainedEvents(this.#client, run, from));
    return eventResponse({ open: run.open, check, events, tell }, options);
  }

  /** The exact request of every model call, in order, rebuilt from history. */
  async *requests({ follow = true, kinds }: Partial<RequestsOptions> = {}): AsyncGenerator<AskedRequest> {
    const requests: AskedRequest[] = [];
    const onRequest = (request: AskedRequest) => requests.push(request);
    const events = this.events({ follow, kinds, live: false, onRequest });
    for await (const _ of events) yield* requests.splice(0);
  }

  /** The current state of the run, from history; `onEvent` is called with each event on the way. Throws RunNotFound. */
  describe(onEvent?: (event: RunEvent) => void): Promise<RunReport> {
    return this.#describe({ onEvent });
  }

  async #describe({ onEvent, onFact: more }: ReadHooks): Promise<RunReport> {
    const actions = createActionCount();
    const onFact: ReadHooks['onFact'] = async (fact, of) => {
      await more?.(fact, of);
      return actions.next(fact);
    };
    const place = await this.#place();
    const { owner } = place.ownership ?? {};
    const report = await this.#fold({ run: place, follow: false, onEvent, onFact });
    if (owner !== undefined) report.owner = owner;
    return withPresent(this.#client, report, actions.sum());
  }

  /** The whole run as one JSON value, with its sub-agents; a run under way as far as it has come. Throws RunNotFound. */
  export(options: ExportOptions = {}): Promise<RunExport> {
    return collectExport(this.#client, options, {
      describe: (hooks) => this.#describe(hooks),
      subAgent: (id) => new AgentRun(this.#client, id).export(options),
    });
  }

  /** The agent of the run and the people it belongs to, as its start has them. Reads no history. Throws RunNotFound. */
  async labels(): Promise<RunLabels> {
    const { agent, ownership } = await locationOfOwnRun(this.#client, this.id, this.#runId);
    return { agent, ...ownership };
  }

  /** Resolves with true if there is a run of the id. A question in a session is one when its turn has come. */
  exists(): Promise<boolean> {
    return runExists(this.#client, this.id);
  }

  /** The options with which the run was started first; undefined if the record has them no more. Throws RunNotFound. */
  recordedStart(): Promise<RecordedStart | undefined> {
    return recordedStart(this.#client, this.id);
  }

  /**
   * Resolves with true if the run was started first with this question and these options, where an id stands for one question. undefined:
   * the record has them no more. Throws RunNotFound, InvalidInput.
   */
  startedWith(agent: string, input: Input, options: StartOptions = {}): Promise<boolean | undefined> {
    return startedWith(this.#client, this.id, { agent, input, ...options });
  }

  /** Live state of the calls under way: progress, text, failures of earlier attempts. */
  async underWay(): Promise<RunEvent[]> {
    const { runId } = await locationOfOwnRun(this.#client, this.id, this.#runId);
    const run = { workflowId: this.id, runId };
    const anyCall = () => 0;
    return (await createLivePoll(this.#client, () => run, anyCall)()).flatMap(reportedEvents);
  }

  /**
   * Decides on a waiting call, or cancels a running one; `3.1/2.1` is call 2.1 of the sub-agent that call 3.1 runs. The call
   * may be left out where only one waits. `wait`: the `n` of the wait that was looked at, whose call has to be named, as
   * each call counts its own. Throws DecisionRefused when that does not fit, and InvalidInput.
   */
  async decide(
    call: string | undefined,
    decision: OperatorDecision,
    wait?: number,
  ): Promise<DecisionReceipt> {
    if (call === undefined && wait !== undefined) throw new InvalidInput(numberWithoutCall);
    const { type, ...values } = decision;
    const waiting = async () => (await this.#fold({ follow: false })).waiting;
    const meant = call ?? (isForWaiting(type) ? resolveTargetCall(await waiting(), type) : undefined);
    const path = callPath(meant ?? '');
    if (path.length > 1) {
      // One id for one call: the gateway looks for a call's wait by its id.
      if (path.join('/') !== meant) throw new DecisionRefused(`${type}: ${meant} is not the id of a call.`);
      const subAgent = new AgentRun(this.#client, workflowOfCall(this.id, meant ?? ''));
      const receipt = await subAgent.decide(path.at(-1), decision, wait);
      return { ...receipt, call: path.join('/') };
    }
    const data: DecisionData = {
      ...values,
      ...(meant === undefined ? {} : { call: meant }),
      ...(wait === undefined ? {} : { wait }),
    };
    const refuse = (error: unknown) => throwWithPause(this.#client, this.id, meant, error);
    return this.#update<DecisionReceipt>(type, data).catch(refuse);
  }

  /** Sends the model a message: it sees it at its next turn, and before its answer ends the run. Throws DecisionRefused. */
  async say(message: string): Promise<void> {
    await this.tell('say', { message });
  }

  /** Starts nothing new until {@link resume}; running calls finish. Throws DecisionRefused. */
  async pause(): Promise<void> {
    await this.tell('pause');
  }

  async resume(): Promise<void> {
    await this.tell('resume');
  }

  /** Raises limits of the run by these amounts; a run that waits at a limit continues. Throws DecisionRefused. */
  async extend(by: Extension): Promise<void> {
    await this.tell('extend', by);
  }

  /** Sends a message to the run, with the data of the update; `say`, `pause`, `resume` and `extend` use it. */
  tell(name: RunMessageName, data?: unknown): Promise<RunMessageReceipt> {
    return this.#update(name, data);
  }

  /** Resolves when the run has taken it, which is recorded. Another program's workflow may have an update of that name. */
  async #update<R>(name: string, data: unknown): Promise<R> {
    await locationOfOwnRun(this.#client, this.id, this.#runId);
    try {
      return await updateRun(this.#client, this.#handle(), name, data);
    } catch (error) {
      throw isNoWorkflow(error) ? await this.#whyNot(name) : error;
    }
  }

  /**
   * Takes the run back to before a step: the steps before it are kept and not paid again, the others are done again. An open run
   * rewinds itself; one that is over starts again under its id. Throws InvalidInput, DecisionRefused, RunNotFound.
   */
  rewind(options: RewindOptions): Promise<RestartReceipt> {
    return rewind(this.#client, this.id, options);
  }

  /** A new run with this one's steps up to `step`, changed as asked. Throws InvalidInput, RunNotFound. */
  fork(options: ForkOptions): Promise<RestartReceipt> {
    return fork(this.#client, this.id, options);
  }

  /**
   * Goes back to where the run failed, was cancelled or terminated, and makes the calls again that did not end; a call
   * that waits in an open run is retried by `decide`. Throws InvalidInput, DecisionRefused, RunNotFound.
   */
  retry(options: RetryRunOptions = {}): Promise<RetryReceipt> {
    return retryRun(this.#client, this.id, options);
  }

  /** Asks the run to cancel; its steps stay. Resolves when the request is recorded. Throws DecisionRefused and RunNotFound. */
  async cancel(): Promise<void> {
    const { open } = await locationOfOwnRun(this.#client, this.id, this.#runId);
    if (!open) throw await this.#whyNot('cancel');
    await orRunNotFound(this.id, this.#handle().cancel());
  }

  async #fold({ run, ...options }: FoldOptions & { run?: RunRef }): Promise<RunReport> {
    return foldRun(this.#client, run ?? (await this.#place()), options);
  }

  async #place(): Promise<ReadableRun> {
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun !== undefined) {
      return { workflowId: this.id, runId: begun, open: true, present: { runId: begun, events: 1 } };
    }
    return readableRun(this.#client, this.id, this.#runId);
  }

  async #whyNot(type: string): Promise<Error> {
    const { status } = await this.describe();
    return new DecisionRefused(
      `${type}: run ${this.id} is over (${status}), so nothing of it can be decided or changed.`,
    );
  }

  #handle() {
    return this.#client.workflow.getHandle(this.id, this.#runId);
  }
}
