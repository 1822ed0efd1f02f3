import { withoutSchedule } from '../calls/calls.ts';
import { isDropped } from '../calls/restart.ts';
import { type OperatorDecision, effectOf } from '../rules/decisions.ts';
import { type WaitingCall, endsByExtension, stateOf } from '../rules/waiting.ts';
import { type AgentAction, type ErrorInfo, type Json, asText } from '../values/vocabulary.ts';
import type { RunEvent, RunStep } from './events.ts';

/** A model call and the tool calls that it decided on. */
export interface Turn extends Work {
  reply: ModelEnded | undefined;
  calls: Call[];
}

export interface Call extends Work {
  action: AgentAction;
  /** As LangChain's callbacks say it: `invalid_tool` for a name that nobody has. */
  startedAs: string | undefined;
  step: RunStep | undefined;
}

/** A call from its first schedule to its end. */
export interface Work {
  call: string;
  spans: Span[];
  notes: Note[];
}

/** A time in which a call ran, or waited for a person. `to`: undefined while it does. */
export interface Span {
  type: 'run' | 'wait';
  from: number;
  to: number | undefined;
  /** What waits: a call of a sub-agent stands with the call that the sub-agent is. */
  call: string;
}

/** What happened to a call on its way. */
export type Note = { at: number } & (
  | { type: 'input'; toolInput: Json }
  | { type: 'failed'; error: ErrorInfo; attempts: number }
  | { type: 'waiting'; wait: WaitingCall }
  | { type: 'decided'; call: string; decision: OperatorDecision }
  | { type: 'unanswered'; call: string }
  | { type: 'reconciled'; found: string; error: ErrorInfo | undefined }
  /** A person had the model told something else: what it was. */
  | { type: 'edited'; observation: Json }
);

/** What happened to a run as a whole. `after`: so many turns had begun. */
export interface RunNote {
  after: number;
  event: Extract<RunEvent, { type: 'steered' | 'unheard' | 'restarted' }>;
}

type ModelEnded = Extract<RunEvent, { type: 'model_ended' }>;

/** The turns of a run, oldest first, and what happened to the run as a whole. A turn that was taken again is there twice. */
export class RunTurns {
  readonly all: Turn[] = [];
  readonly notes: RunNote[] = [];
  readonly #byId = new Map<string, Turn>();
  readonly #calls = new Map<string, Call>();

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
        const call: Call = {
          ...newWork(event.call),
          action: event.action,
          startedAs: undefined,
          step: undefined,
        };
        this.#calls.set(event.call, call);
        this.#byId.get(event.call.slice(0, event.call.lastIndexOf('.')))?.calls.push(call);
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
        for (const work of this.all) if (work.notes.some(endsNow)) endWait(work, work.call, at);
        return;
      case 'unheard':
        this.notes.push({ after: this.all.length, event });
        return;
      case 'restarted':
        this.notes.push({ after: this.all.length, event });
        return this.#beginAgain(event);
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
    // A sub-agent is started with a text, whatever the input was.
    if (asText(latestInput(call)) !== asText(toolInput)) call.notes.push({ at, type: 'input', toolInput });
    call.startedAs = tool;
    begin(call, at);
  }

  /** A model call that is made again belongs to its turn as long as that has no reply. */
  #turnFor(call: string): Turn {
    const known = this.#byId.get(call);
    if (known !== undefined && known.reply === undefined) return known;
    const turn: Turn = { ...newWork(call), reply: undefined, calls: [] };
    this.all.push(turn);
    this.#byId.set(call, turn);
    return turn;
  }

  /** A run's own agent waits at its limit where the model would be asked next; a sub-agent's turns are its own. */
  #turnOfLimit(wait: WaitingCall): void {
    if (stateOf(wait).kind === 'model' && endsByExtension(wait)) this.#turnFor(wait.call);
  }

  #endAll(at: number): void {
    for (const work of [...this.all, ...this.#calls.values()]) endSpans(work, at);
  }

  /** Nothing of the run before is under way any more; its calls of a turn that is taken up again are those of this one. */
  #beginAgain(event: Extract<RunEvent, { type: 'restarted' }>): void {
    const { at, edits = [], again } = event;
    this.#endAll(at);
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

  /** `3.1~1/2.1` is a call in the sub-agent that call `3.1` is, the second time. */
  #workOf(call: string): Work | undefined {
    const known = this.#calls.get(call) ?? this.#byId.get(call);
    const slash = call.lastIndexOf('/');
    return known ?? (slash < 0 ? undefined : this.#workOf(withoutSchedule(call.slice(0, slash))));
  }
}

function newWork(call: string): Work {
  return { call, spans: [], notes: [] };
}

/** What is known of a call's input: as the model wrote it, unless it was changed. */
function latestInput({ action, notes }: Call): Json {
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

function endsNow(note: Note): boolean {
  return note.type === 'waiting' && endsByExtension(note.wait);
}

function endWait({ spans }: Work, call: string, at: number): void {
  for (const span of spans) if (span.type === 'wait' && span.call === call) span.to ??= at;
}
