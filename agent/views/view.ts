import { isIteration, parseActivityId } from '../calls/calls.ts';
import { type RestartedEvent, isDropped } from '../calls/restart.ts';
import { effectOf } from '../rules/decisions.ts';
import { type WaitingCall, endsByExtension, isOfOwnModelCall, needsPerson } from '../rules/waiting.ts';
import type { Content } from '../values/content.ts';
import {
  type ErrorInfo,
  type Json,
  type RunStatus,
  type StopReason,
  type Usage,
  addUsage,
  noUsage,
  type Truncation,
} from '../values/vocabulary.ts';
import { type PausedBy, type RunEvent, type RunStep, isRecorded } from '../run/events.ts';
import { RunHalt } from './run-halt.ts';
import { RunTurns } from './run-turns.ts';

/**
 * State of a run, folded from its events: give them to `add` in their order, from the first one. `describe()`, `show`, `follow`, the chat,
 * the HTML page and completion use this view. A sub-agent's events (`within`) belong to a separate view.
 */
export class RunView {
  readonly id: string;
  runId: string;
  agent = '';
  /** The agent that was asked last, in a run that may have several. */
  lastAgent: string | undefined;
  input: Content = '';
  status: RunStatus = 'running';
  stopReason: StopReason | null = null;
  /** The answer is not whole, for this reason. */
  truncated: Truncation | undefined;
  output: Json = null;
  error: ErrorInfo | null = null;
  iterations = 0;
  usage: Usage = noUsage;
  /** Steps in the order of their calls. */
  steps: RunStep[] = [];
  waiting: WaitingCall[] = [];
  readonly underWay: CallsUnderWay = new Map();
  readonly turns = new RunTurns();
  /** All events that were recorded when the reader started have been added: the waits in `waiting` are open now. */
  isCaughtUp = false;
  /** An operator has paused the run with Temporal's own command. */
  pausedInTemporal: PausedBy | undefined;
  #isPaused = false;
  #isPausedAbove = false;
  readonly #halt = new RunHalt();

  constructor(id: string, runId = '') {
    this.id = id;
    this.runId = runId;
  }

  add(event: RunEvent): void {
    this.isCaughtUp ||= event.type === 'caught_up';
    if (!isRecorded(event)) return;
    this.turns.add(event);
    this.#halt.add(event);
    trackCalls(this.underWay, event);
    switch (event.type) {
      case 'run_started':
        Object.assign(this, { agent: event.agent, input: event.input, runId: event.runId });
        return;
      case 'continued':
        this.runId = event.runId;
        return;
      case 'model_ended':
        if (isIteration(event)) this.iterations++;
        this.usage = addUsage(this.usage, event.turn.usage);
        this.lastAgent = event.turn.agent ?? this.lastAgent;
        return;
      case 'used':
        this.usage = addUsage(this.usage, event.usage);
        return;
      case 'step':
        insertStep(this.steps, event.step);
        // A fork does not have the wait of a background call any more that another run made.
        if (this.waiting.some(({ call }) => call === event.step.call))
          this.#endWaits(({ call }) => call === event.step.call);
        return;
      case 'waiting':
        this.waiting.push(event.wait);
        return this.#setStatus();
      case 'decided':
        if (effectOf(event.decision).type !== 'none') this.#endWaits(({ call }) => call === event.call);
        return;
      case 'resumed':
      case 'unanswered':
        return this.#endWaits(({ call }) => call === event.call);
      case 'steered':
        return this.#steer(event);
      case 'paused_in_temporal':
        this.pausedInTemporal = { by: event.by, reason: event.reason };
        return this.#setStatus();
      case 'unpaused_in_temporal':
        this.pausedInTemporal = undefined;
        return this.#setStatus();
      case 'restarted':
        return this.#restart(event);
      case 'run_ended':
        return this.#end(event);
      default:
        return; // other events change no field of the view
    }
  }

  /**
   * The waits that have to end before the run continues; none: the run works, or has ended. While the model or another call continues, a
   * background call that waits is in `waiting` only. `isStill`: no event has come for some seconds. A run at its limit waits for its
   * background calls, and no event says so.
   */
  heldUpBy({ isStill = false }: { isStill?: boolean } = {}): WaitingCall[] {
    return this.#halt.heldUpBy(this.waiting, isStill && this.status !== 'paused');
  }

  #endWaits(isOver: (wait: WaitingCall) => boolean): void {
    this.waiting = this.waiting.filter((wait) => !isOver(wait));
    this.#setStatus();
  }

  #steer({ message: { type }, above }: Extract<RunEvent, { type: 'steered' }>): void {
    if (type === 'extend') this.#endWaits(endsByExtension);
    // Waits of tool calls end with separate events, some of them later.
    if (type === 'rewind') this.#endWaits(isOfOwnModelCall);
    if (type !== 'pause' && type !== 'resume') return;
    if (above) this.#isPausedAbove = type === 'pause';
    else this.#isPaused = type === 'pause';
    this.#setStatus();
  }

  /** `paused` comes before `waiting`: a paused run continues only when a person resumes it. */
  #setStatus(): void {
    const isPaused = this.#isPaused || this.#isPausedAbove || this.pausedInTemporal !== undefined;
    this.status = isPaused ? 'paused' : this.waiting.some(needsPerson) ? 'waiting' : 'running';
  }

  /** Removes the dropped steps, and takes the counters of the kept steps. */
  #restart(event: RestartedEvent): void {
    const { runId, from, iterations, usage, edits = [] } = event;
    const edited = ({ call, observation }: RunStep) =>
      (edits.find((edit) => edit.call === call) ?? { observation }).observation;
    // A run that rewinds itself stays paused while its parent is paused, or if it was paused after its rewind.
    if (from.runId !== runId) this.#isPaused = this.#isPausedAbove = false;
    // Background calls of kept steps stay open in a run that rewinds itself.
    this.waiting = from.runId === runId ? this.waiting.filter((wait) => !isDropped(wait.call, event)) : [];
    Object.assign(this, { runId, iterations, usage, lastAgent: undefined });
    this.#setStatus();
    Object.assign(this, { stopReason: null, truncated: undefined, output: null, error: null });
    this.steps = this.steps
      .filter(({ call }) => !isDropped(call, event))
      .map((step) => ({ ...step, observation: edited(step) }));
  }

  #end(event: Extract<RunEvent, { type: 'run_ended' }>): void {
    const { status, stopReason, truncated, output, error, iterations, usage } = event;
    const end = { status, stopReason, truncated, output, error };
    Object.assign(this, { ...end, waiting: [], pausedInTemporal: undefined });
    this.iterations = iterations ?? this.iterations;
    this.usage = usage ?? this.usage;
  }
}

/** Makes the view of a run from its events. Leaves out events of sub-agents. */
export function viewOf(id: string, events: Iterable<RunEvent>): RunView {
  const view = new RunView(id);
  for (const event of events) if (event.within === undefined) view.add(event);
  return view;
}

/** Calls that have started and not ended, with the name of the tool; `callModel` for a model call. */
export type CallsUnderWay = Map<string, string>;

/** Adds or removes the call of the next event. */
export function trackCalls(calls: CallsUnderWay, event: RunEvent): void {
  if (event.type === 'model_started') calls.set(event.call, 'callModel');
  else if (event.type === 'tool_started') calls.set(event.call, event.tool);
  else if (event.type === 'step') calls.delete(event.step.call);
  else if (event.type === 'model_ended' || event.type === 'model_failed' || event.type === 'tool_failed')
    calls.delete(event.call);
  else if (event.type === 'run_ended') calls.clear();
  else if (event.type === 'restarted') {
    const isSameRun = event.from.runId === event.runId;
    for (const call of calls.keys()) if (!isSameRun || isDropped(call, event)) calls.delete(call);
  }
}

/** Inserts a step in the order of calls; calls of one turn end in any order. Searches from the end, because most steps belong there. */
export function insertStep(steps: RunStep[], step: RunStep): void {
  const before = steps.findLastIndex(({ call }) => byCall(call, step.call) <= 0);
  steps.splice(before + 1, 0, step);
}

/** Compares call ids: `2.1` before `10.1`, `3.2` before `3.10`, and a workflow's second agent (`1/1.1`) after its first. */
function byCall(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  const difference = left.findIndex((part, index) => part !== right[index]);
  return difference < 0 ? 0 : (left[difference] ?? 0) - (right[difference] ?? 0);
}

function partsOf(id: string): number[] {
  const { scope = 0, call = '' } = parseActivityId(id) ?? {};
  return [scope, ...call.split('.').map(Number)];
}
