import { modelCallOf } from '../calls/call-path.ts';
import { withoutSchedule } from '../calls/calls.ts';
import { isDropped } from '../calls/restart.ts';
import { type OperatorDecision, effectOf } from '../rules/decisions.ts';
import { type WaitingCall, endsByExtension, stateOf } from '../rules/waiting.ts';
import { type AgentAction, type ErrorInfo, type Json, asText } from '../values/vocabulary.ts';
import type { RunEvent, RunStep } from '../run/events.ts';

/** A model call, and the tool calls of its reply. */
export interface ShownTurn extends Work {
  reply: ModelEnded | undefined;
  calls: ShownCall[];
}

export interface ShownCall extends Work {
  action: AgentAction;
  /** Name as in LangChain's callbacks: `invalid_tool` for an unknown name. */
  startedAs: string | undefined;
  step: RunStep | undefined;
}

/** A model call or a tool call, from its first schedule to its end. */
export interface Work {
  call: string;
  spans: Span[];
  notes: Note[];
}

/** A time in which a call ran, or waited for a person. `to`: undefined until the span ends. */
export interface Span {
  type: 'run' | 'wait';
  from: number;
  to: number | undefined;
  /** The call that ran or waited. A wait of a sub-agent's call is among the spans of the call that runs the sub-agent. */
  call: string;
}

/** A note on a call. */
export type Note = { at: number } & (
  | { type: 'input'; toolInput: Json }
  | { type: 'failed'; error: ErrorInfo; attempts: number }
  | { type: 'waiting'; wait: WaitingCall }
  | { type: 'decided'; call: string; decision: OperatorDecision }
  | { type: 'unanswered'; call: string }
  | { type: 'reconciled'; found: string; error: ErrorInfo | undefined }
  /** A person changed the observation. `observation`: the old one. */
  | { type: 'edited'; observation: Json }
);

/** A note on the whole run. `after`: number of turns that had started. */
export interface RunNote {
  after: number;
  event: Extract<RunEvent, { type: 'steered' | 'unheard' | 'restarted' }>;
}

type ModelEnded = Extract<RunEvent, { type: 'model_ended' }>;

/** The turns of a run, oldest first, and the notes on the whole run. A turn that was repeated is listed twice. */
export class RunTurns {
  readonly all: ShownTurn[] = [];
  readonly notes: RunNote[] = [];
  readonly #byId = new Map<string, ShownTurn>();
  readonly #calls = new Map<string, ShownCall>();

  add(event: RunEvent): void {
    const { at } = event;
    switch (event.type) {
      case 'model_started':
        return begin(this.#turnFor(event.call), at);
      case 'model_ended': {
        const turn = this.#turnFor(event.call);
        turn.reply = event;
        return endSpans(turn, at);
      }
      case 'model_failed':
      case 'tool_failed': {
        const { call, error, attempts } = event;
        const work = this.#noted(call, { at, type: 'failed', error, attempts });
        return work && endSpans(work, at, 'run');
      }
      case 'action': {
        const call: ShownCall = {
          ...newWork(event.call),
          action: event.action,
          startedAs: undefined,
          step: undefined,
        };
        this.#calls.set(event.call, call);
        this.#byId.get(modelCallOf(event.call))?.calls.push(call);
        return;
      }
      case 'tool_started':
        return this.#toolStarted(event);
      case 'waiting': {
        const { wait } = event;
        if (wait.reason === 'limit') this.#turnOfLimit(wait);
        this.#noted(wait.call, { at, type: 'waiting', wait })?.spans.push({
          type: 'wait',
          from: at,
          to: undefined,
          call: wait.call,
        });
        return;
      }
      case 'decided': {
        const { call, decision } = event;
        const work = this.#noted(call, { at, type: 'decided', call, decision });
        return work && effectOf(decision).type !== 'none' ? endWait(work, call, at) : undefined;
      }
      case 'unanswered': {
        const work = this.#noted(event.call, { at, type: 'unanswered', call: event.call });
        return work && endWait(work, event.call, at);
      }
      case 'reconciled': {
        const { call, found, error } = event;
        this.#noted(call, { at, type: 'reconciled', found, error });
        return;
      }
      case 'steered':
        this.notes.push({ after: this.all.length, event });
        if (event.message.type !== 'extend') return;
        for (const work of this.all) if (work.notes.some(isWaitAtLimit)) endWait(work, work.call, at);
        return;
      case 'unheard':
        this.notes.push({ after: this.all.length, event });
        return;
      case 'restarted':
        this.notes.push({ after: this.all.length, event });
        return this.#restart(event);
      case 'resumed': {
        const work = this.#workOf(event.call);
        return work && endWait(work, event.call, at);
      }
      case 'step': {
        const call = this.#calls.get(event.step.call);
        if (call === undefined) return;
        call.step = event.step;
        return endSpans(call, at);
      }
      case 'run_ended':
        return this.#endAll(at);
      default:
        return;
    }
  }

  #toolStarted({ at, call: id, tool, toolInput }: Extract<RunEvent, { type: 'tool_started' }>): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    // A sub-agent's input is always a text.
    if (asText(latestInput(call)) !== asText(toolInput)) call.notes.push({ at, type: 'input', toolInput });
    call.startedAs = tool;
    begin(call, at);
  }

  /** Returns the call's turn. A repeated model call starts a new turn, if the turn before has a reply. */
  #turnFor(call: string): ShownTurn {
    const known = this.#byId.get(call);
    if (known !== undefined && known.reply === undefined) return known;
    const turn: ShownTurn = { ...newWork(call), reply: undefined, calls: [] };
    this.all.push(turn);
    this.#byId.set(call, turn);
    return turn;
  }

  /** Adds the turn of a wait at a limit: the run waits before its next model call. Turns of sub-agents are not shown here. */
  #turnOfLimit(wait: WaitingCall): void {
    if (stateOf(wait).kind === 'model' && endsByExtension(wait)) this.#turnFor(wait.call);
  }

  #endAll(at: number): void {
    for (const work of [...this.all, ...this.#calls.values()]) endSpans(work, at);
  }

  /** Ends the spans of all that is over, drops the calls that are repeated, and notes edited observations. Kept calls of a resumed turn stay. */
  #restart(event: Extract<RunEvent, { type: 'restarted' }>): void {
    const { at, edits = [], again, from, runId } = event;
    for (const turn of this.all) endSpans(turn, at);
    // Background calls of kept steps are under way in a run that rewinds itself.
    for (const [call, work] of this.#calls)
      if (from.runId !== runId || isDropped(call, event)) endSpans(work, at);
    for (const call of this.#calls.keys()) {
      if (isDropped(call, { step: event.step, again: again && [] })) this.#calls.delete(call);
    }
    for (const { call, observation } of edits) {
      const edited = this.#calls.get(call);
      if (edited?.step === undefined) continue;
      edited.notes.push({ at, type: 'edited', observation: edited.step.observation });
      edited.step = { ...edited.step, observation };
    }
  }

  #noted(call: string, note: Note): Work | undefined {
    const work = this.#workOf(call);
    work?.notes.push(note);
    return work;
  }

  /** Finds a call, or the call that runs its sub-agent: `3.1` for `3.1~1/2.1`, a call within the second schedule of `3.1`. */
  #workOf(call: string): Work | undefined {
    const known = this.#calls.get(call) ?? this.#byId.get(call);
    const slash = call.lastIndexOf('/');
    return known ?? (slash < 0 ? undefined : this.#workOf(withoutSchedule(call.slice(0, slash))));
  }
}

function newWork(call: string): Work {
  return { call, spans: [], notes: [] };
}

/** Returns the latest input: the model's, or a person's. */
function latestInput({ action, notes }: ShownCall): Json {
  for (const note of notes.toReversed()) {
    if (note.type === 'input') return note.toolInput;
    if (note.type === 'decided' && 'input' in note.decision) return note.decision.input ?? null;
  }
  return action.toolInput;
}

function begin({ call, spans }: Work, at: number): void {
  spans.push({ type: 'run', from: at, to: undefined, call });
}

function endSpans({ spans }: Work, at: number, type?: Span['type']): void {
  for (const span of spans) if (type === undefined || span.type === type) span.to ??= at;
}

function isWaitAtLimit(note: Note): boolean {
  return note.type === 'waiting' && endsByExtension(note.wait);
}

function endWait({ spans }: Work, call: string, at: number): void {
  for (const span of spans) if (span.type === 'wait' && span.call === call) span.to ??= at;
}
