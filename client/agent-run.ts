import { type Client, WorkflowUpdateFailedError } from '@temporalio/client';
import { callPath } from '../agent/calls.ts';
import { AGENT_SESSION, BACKTEST } from '../workflows/messages.ts';
import type { OperatorDecision, RunEvent, RunStep, WaitingCall } from '../agent/events.ts';
import type { DecisionName } from '../agent/rules/decisions.ts';
import type { RunResult } from '../agent/run-result.ts';
import type { Extension } from '../agent/rules/extension.ts';
import type { RunMessageName } from '../agent/rules/run-messages.ts';
import type { DecisionData, DecisionReceipt, RunMessageReceipt } from '../workflows/messages.ts';
import { collectExport } from './collect-export.ts';
import { AgentRunCancelled, AgentRunFailed, DecisionRefused, InvalidInput } from './errors.ts';
import { type ResponseOptions, eventResponse } from './event-response.ts';
import { type EventsOptions, followEvents, knownPositions } from './follow-events.ts';
import { type ForkOptions, fork } from './fork.ts';
import { actionsUnderWay, createActionCount } from '../history/billed-actions.ts';
import { readLineage } from '../history/lineage.ts';
import { readImage } from '../history/read-image.ts';
import { createLivePoll } from '../history/live.ts';
import { type AskedRequest, type RequestsOptions, readRequests } from '../history/requests.ts';
import { isForWaiting, meantCall } from './meant-call.ts';
import { createWaitingTeller } from './on-waiting.ts';
import { RESET, historySize, orReplaced } from './replaced-run.ts';
import type { RestartReceipt } from './begin-again.ts';
import { type RetryReceipt, type RetryRunOptions, retryRun } from './retry-run.ts';
import { type RewindOptions, rewind } from './rewind.ts';
import { backtestNotRun, foreign, sessionNotRun } from './run-sentences.ts';
import { describeRun, orRunNotFound, placeOfRun } from './place.ts';
import { type RunReport, addToReport, emptyReport } from './report.ts';
import type { RunExport } from './run-export.ts';
import { sendable } from './sendable.ts';
import { unhurriedEnd } from './unhurried-end.ts';
import { type TimelineOptions, readTimeline } from '../history/timeline.ts';
import { isOpen } from '../history/open.ts';
import { type RunRef, isNoWorkflow } from '../history/pages.ts';

/** A run's result, and the steps that led to it: read from history, which the workflow's own result leaves them in. */
export interface RunResultWithSteps extends RunResult {
  intermediateSteps: RunStep[];
}

export interface ResultOptions {
  /**
   * Told of each call that waits for a person, once: `run.decide(waiting.call, { type: 'approve' }, waiting.n)` answers. What
   * it returns is not waited for; what it throws, or its promise, ends `result` with that error, and the run goes on waiting.
   */
  onWaiting?: ((waiting: WaitingCall, run: AgentRun) => unknown) | undefined;
}

export interface ExportOptions extends Pick<RequestsOptions, 'kinds'> {
  /** Also every exact request. Default false: they grow with the square of a run's steps. */
  prompts?: boolean | undefined;
  /** Also the images of the question themselves, in base64 (`data` of each). Default false. */
  images?: boolean | undefined;
}

interface FoldOptions extends TimelineOptions {
  /** Default: the run as it is found now. */
  run?: RunRef | undefined;
  onEvent?: ((event: RunEvent) => void) | undefined;
}

/** One run, wherever it is; nothing here needs a worker but `decide`. */
export class AgentRun {
  readonly id: string;
  readonly #client: Client;
  readonly #runId: string | undefined;
  #begun: string | undefined;

  /** `runId`: default the latest of the id. `begun`: the latest, as its start has just said, for the first look at it. */
  constructor(client: Client, id: string, runId?: string, begun?: string) {
    this.#client = client;
    this.#runId = runId;
    this.#begun = begun;
    this.id = id;
  }

  /**
   * The answer. Waits for the run to end; a run that a limit stopped has an answer too, and one that was reset goes on
   * as another. Throws AgentRunFailed or AgentRunCancelled, which carry what there is, and InvalidInput for a workflow
   * that is no run of an agent.
   */
  async result(options: ResultOptions = {}): Promise<RunResultWithSteps> {
    const report = await this.#end(options);
    if (report.error?.type === RESET && this.#runId === undefined) return this.result(options);
    const { output, intermediateSteps, stopReason, iterations, usage } = report;
    if (report.status === 'cancelled') throw new AgentRunCancelled(report);
    if (report.status === 'completed' && stopReason === null) throw new InvalidInput(foreign(this.id));
    if (report.status === 'failed' || stopReason === null) throw new AgentRunFailed(report);
    return { output, intermediateSteps, stopReason, iterations, usage };
  }

  /**
   * All events from the run's beginning, and those to come until it ends. Can be iterated anywhere, any time, again, and
   * from behind any event. Throws RunNotFound, and InvalidInput where `after` is no event of this run.
   */
  async *events(options: EventsOptions = {}): AsyncGenerator<RunEvent> {
    const run = await this.#place();
    for await (const { event, runId } of followEvents(this.#client, run, options))
      yield event.within === undefined
        ? await orReplaced(this.#client, { workflowId: this.id, runId }, event)
        : event;
  }

  /** The same as a web response: server-sent events, for a page to show. Throws what `events()` throws, before it answers. */
  async toResponse(options: ResponseOptions | Request = {}): Promise<Response> {
    const run = await this.#place();
    const check = (after: string | undefined) => knownPositions(this.#client, run, after);
    return eventResponse({ open: run.open, check, events: (from) => this.events(from) }, options);
  }

  /** The exact request of every model call, in order, rebuilt from history. */
  async *requests({ follow = true, kinds }: Partial<RequestsOptions> = {}): AsyncGenerator<AskedRequest> {
    const { runId } = await placeOfRun(this.#client, this.id, this.#runId);
    yield* readRequests(this.#client, { workflowId: this.id, runId }, { follow, kinds });
  }

  /** The run as it stands, from history; `onEvent` is called with each event on the way. Throws RunNotFound. */
  async describe(onEvent: (event: RunEvent) => void = () => undefined): Promise<RunReport> {
    const actions = createActionCount();
    const report = await this.#fold({ follow: false, onEvent, onFact: actions.next });
    const { runId, status } = report;
    const run = { workflowId: this.id, runId };
    const goesOn = status === 'running' || status === 'waiting' || status === 'paused';
    const underWay = goesOn ? await actionsUnderWay(this.#client, run) : 0;
    report.usage = { ...report.usage, actions: actions.sum() + underWay };
    report.history = await historySize(this.#client, run);
    return report;
  }

  /** The whole run as one JSON value, its sub-agents within; one that goes on, as far as it has come. Throws RunNotFound. */
  async export(options: ExportOptions = {}): Promise<RunExport> {
    const { runId } = await placeOfRun(this.#client, this.id, this.#runId);
    const { prompts = false, images = false, kinds } = options;
    const place = { workflowId: this.id, runId };
    return collectExport({
      id: this.id,
      image: images ? (ref) => readImage(this.#client, place, ref) : undefined,
      describe: (onEvent) => this.describe(onEvent),
      facts: () => readLineage(this.#client, place, false),
      requests: prompts ? () => this.requests({ follow: false, kinds }) : undefined,
      subAgent: (id) => new AgentRun(this.#client, id).export(options),
    });
  }

  /** What calls under way show of themselves right now: progress, text, why an earlier attempt failed. */
  async underWay(): Promise<RunEvent[]> {
    const { runId } = await placeOfRun(this.#client, this.id, this.#runId);
    return createLivePoll(this.#client, () => ({ workflowId: this.id, runId }))();
  }

  /**
   * Decides on a waiting call, or cancels a running one; `3.1/2.1` is call 2.1 of the sub-agent that call 3.1 runs. The call
   * may be left out where only one waits. `park`: the `n` of the wait that was looked at, whose call has to be named, as
   * each call counts its own. Throws DecisionRefused when that does not fit, and InvalidInput.
   */
  async decide(
    call: string | undefined,
    decision: OperatorDecision,
    park?: number,
  ): Promise<DecisionReceipt> {
    if (call === undefined && park !== undefined) throw new InvalidInput(NUMBER_WITHOUT_CALL);
    const { type, ...values } = decision;
    const meant = call ?? (isForWaiting(type) ? await this.#onlyWaiting(type) : undefined);
    const path = callPath(meant ?? '');
    if (path.length > 1) {
      const subAgent = [this.id, ...path.slice(0, -1)].join('/');
      const receipt = await new AgentRun(this.#client, subAgent).decide(path.at(-1), decision, park);
      return { ...receipt, call: path.join('/') };
    }
    const data: DecisionData = {
      ...values,
      ...(meant === undefined ? {} : { call: meant }),
      ...(park === undefined ? {} : { park }),
    };
    return this.#update<DecisionReceipt>(type, data);
  }

  /** Tells the model something: it sees it at its next turn, and before an answer of its ends the run. Throws DecisionRefused. */
  async say(message: string): Promise<void> {
    await this.tell('say', { message });
  }

  /** Has nothing begun any more, until {@link resume}; what is under way ends, and its results are kept. Throws DecisionRefused. */
  async pause(): Promise<void> {
    await this.tell('pause');
  }

  async resume(): Promise<void> {
    await this.tell('resume');
  }

  /** Raises limits of the run by so much; one that waits at a limit goes on. Throws DecisionRefused. */
  async extend(by: Extension): Promise<void> {
    await this.tell('extend', by);
  }

  /** What the four above do, with the data of the update. */
  tell(name: RunMessageName, data?: unknown): Promise<RunMessageReceipt> {
    return this.#update(name, data);
  }

  /** Resolves when the run has taken it, which is recorded. */
  async #update<R>(name: string, data: unknown): Promise<R> {
    const args: [unknown] = [sendable(name, data)];
    try {
      return await this.#handle().executeUpdate<R, [unknown]>(name, { args });
    } catch (error) {
      if (error instanceof WorkflowUpdateFailedError) {
        throw new DecisionRefused(error.cause?.message ?? error.message, { cause: error });
      }
      throw isNoWorkflow(error) ? await this.#whyNot(name) : error;
    }
  }

  async #onlyWaiting(type: DecisionName): Promise<string | undefined> {
    return meantCall((await this.#fold({ follow: false })).waiting, type);
  }

  /**
   * Takes the run back to before a step, whether it is running or over: the steps before it are kept and not paid again, the
   * others are done anew, by a new run of the same id. Throws InvalidInput, DecisionRefused, RunNotFound.
   */
  rewind(options: RewindOptions): Promise<RestartReceipt> {
    return rewind(this.#client, this.id, options);
  }

  /** A new run with this one's steps up to `step`, changed as asked. Throws InvalidInput, RunNotFound. */
  fork(options: ForkOptions): Promise<RestartReceipt> {
    return fork(this.#client, this.id, options);
  }

  /**
   * Goes back to where the run failed, was cancelled or terminated, and makes the calls again that did not end; a call that
   * waits in a run that goes on is retried by `decide`. Throws InvalidInput, DecisionRefused, RunNotFound.
   */
  retry(options: RetryRunOptions = {}): Promise<RetryReceipt> {
    return retryRun(this.#client, this.id, options);
  }

  /** Asks the run to cancel; its steps stay. Resolves when the request is recorded. Throws DecisionRefused. */
  async cancel(): Promise<void> {
    const { open } = await placeOfRun(this.#client, this.id, this.#runId);
    if (!open) throw await this.#whyNot('cancel');
    await orRunNotFound(this.id, this.#handle().cancel());
  }

  async #end({ onWaiting }: ResultOptions): Promise<RunReport> {
    if (onWaiting === undefined) {
      return unhurriedEnd(this.#client, await this.#place(), (how) => this.#fold(how));
    }
    const { next, signal } = await createWaitingTeller(
      (waiting) => onWaiting(waiting, this),
      (onEvent) => this.#fold({ follow: false, onEvent }),
    );
    return this.#fold({ follow: true, onEvent: next, signal });
  }

  async #fold({ run, onEvent, ...options }: FoldOptions): Promise<RunReport> {
    const report = emptyReport(this.id, '');
    const place = run ?? (await this.#place());
    for await (const { events, runId } of readTimeline(this.#client, place, options))
      for (const recorded of events) {
        const isEnd = recorded.type === 'run_ended';
        const event = isEnd
          ? await orReplaced(this.#client, { workflowId: this.id, runId }, recorded)
          : recorded;
        onEvent?.(event);
        addToReport(report, event);
      }
    return report;
  }

  async #place(): Promise<RunRef & { open: boolean }> {
    const begun = this.#begun;
    this.#begun = undefined;
    if (begun !== undefined) return { workflowId: this.id, runId: begun, open: true };
    const { runId, type, status } = await describeRun(this.#client, this.id, this.#runId);
    if (type === AGENT_SESSION) throw new InvalidInput(sessionNotRun(this.id));
    if (type === BACKTEST) throw new InvalidInput(backtestNotRun(this.id));
    return { workflowId: this.id, runId, open: isOpen(status.name) };
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

const NUMBER_WITHOUT_CALL =
  'decide: the third argument is the number of a wait of one call. Name the call: run.decide(waiting.call, …, waiting.n).';
