import { withoutSchedule } from '../../agent/calls.ts';
import type { OperatorDecision, RunEvent, RunStep, WaitingCall } from '../../agent/events.ts';
import { isDropped } from '../../agent/restart.ts';
import { effectOf } from '../../agent/rules/decisions.ts';
import { endsByExtension, stateOf } from '../../agent/rules/waiting.ts';
import { type AgentAction, type ErrorInfo, type Json, asText } from '../../agent/vocabulary.ts';
import type { RunExport } from '../../client/run-export.ts';

/** A run as a page shows it: turns, each a model call and the tool calls that it decided on. */
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
  | { type: 'waiting'; park: WaitingCall }
  | { type: 'decided'; call: string; decision: OperatorDecision }
  | { type: 'unanswered'; call: string }
  /** A person had the model told something else: what it was. */
  | { type: 'edited'; observation: Json }
);

/** What happened to a run as a whole. `after`: so many turns had begun. */
export interface RunNote {
  after: number;
  event: Extract<RunEvent, { type: 'steered' | 'unheard' | 'restarted' }>;
}

type ModelEnded = Extract<RunEvent, { type: 'model_ended' }>;

/** The turns of a run, in order: one that was taken again is there again. */
export function turnsOf(exported: Pick<RunExport, 'events'>): Turn[] {
  return storyOf(exported).turns;
}

/** The same, with what happened to the run as a whole. */
export function storyOf({ events }: Pick<RunExport, 'events'>): { turns: Turn[]; notes: RunNote[] } {
  const turns: Turn[] = [];
  const notes: RunNote[] = [];
  const byId = new Map<string, Turn>();
  const calls = new Map<string, Call>();
  for (const event of events) read(event);
  return { turns, notes };

  function read(event: RunEvent): void {
    const { at } = event;
    switch (event.type) {
      case 'model_started':
        return begin(turnFor(event.call), at);
      case 'model_ended': {
        const turn = turnFor(event.call);
        turn.reply = event;
        return endSpans(turn, at);
      }
      case 'model_failed':
      case 'tool_failed': {
        const { call, error, attempts } = event;
        const work = noted(call, { at, type: 'failed', error, attempts });
        return work && endSpans(work, at, 'run');
      }
      case 'action': {
        const call: Call = {
          ...newWork(event.call),
          action: event.action,
          startedAs: undefined,
          step: undefined,
        };
        calls.set(event.call, call);
        byId.get(event.call.slice(0, event.call.lastIndexOf('.')))?.calls.push(call);
        return;
      }
      case 'tool_started':
        return toolStarted(event);
      case 'waiting': {
        const { park } = event;
        if (park.reason === 'limit') turnOfLimit(park);
        noted(park.call, { at, type: 'waiting', park })?.spans.push({
          type: 'wait',
          from: at,
          to: undefined,
          call: park.call,
        });
        return;
      }
      case 'decided': {
        const { call, decision } = event;
        const work = noted(call, { at, type: 'decided', call, decision });
        return work && effectOf(decision).type !== 'none' ? endWait(work, call, at) : undefined;
      }
      case 'unanswered': {
        const work = noted(event.call, { at, type: 'unanswered', call: event.call });
        return work && endWait(work, event.call, at);
      }
      case 'steered':
        notes.push({ after: turns.length, event });
        if (event.message.type !== 'extend') return;
        for (const work of turns) if (work.notes.some(endsNow)) endWait(work, work.call, at);
        return;
      case 'unheard':
        notes.push({ after: turns.length, event });
        return;
      case 'restarted':
        notes.push({ after: turns.length, event });
        return beginAgain(event);
      case 'resumed': {
        const work = workOf(event.call);
        return work && endWait(work, event.call, at);
      }
      case 'step': {
        const call = calls.get(event.step.call);
        if (call === undefined) return;
        call.step = event.step;
        return endSpans(call, at);
      }
      case 'run_ended':
        return endAll(at);
      default:
        return;
    }
  }

  function toolStarted({ at, call: id, tool, toolInput }: Extract<RunEvent, { type: 'tool_started' }>): void {
    const call = calls.get(id);
    if (call === undefined) return;
    // A sub-agent is started with a text, whatever the input was.
    if (asText(latestInput(call)) !== asText(toolInput)) call.notes.push({ at, type: 'input', toolInput });
    call.startedAs = tool;
    begin(call, at);
  }

  /** A model call that is made again belongs to its turn as long as that has no reply. */
  function turnFor(call: string): Turn {
    const known = byId.get(call);
    if (known !== undefined && known.reply === undefined) return known;
    const turn: Turn = { ...newWork(call), reply: undefined, calls: [] };
    turns.push(turn);
    byId.set(call, turn);
    return turn;
  }

  /** A run's own agent waits at its limit where the model would be asked next; a sub-agent's turns are its own. */
  function turnOfLimit(park: WaitingCall): void {
    if (stateOf(park).kind === 'model' && endsByExtension(park)) turnFor(park.call);
  }

  function endAll(at: number): void {
    for (const work of [...turns, ...calls.values()]) endSpans(work, at);
  }

  /** Nothing of the run before is under way any more; its calls of a turn that is taken up again are those of this one. */
  function beginAgain(event: Extract<RunEvent, { type: 'restarted' }>): void {
    const { at, edits = [], again } = event;
    endAll(at);
    for (const call of calls.keys()) {
      if (isDropped(call, { step: event.step, again: again && [] })) calls.delete(call);
    }
    for (const { call, observation } of edits) {
      const edited = calls.get(call);
      if (edited?.step === undefined) continue;
      edited.notes.push({ at, type: 'edited', observation: edited.step.observation });
      edited.step = { ...edited.step, observation };
    }
  }

  function noted(call: string, note: Note): Work | undefined {
    const work = workOf(call);
    work?.notes.push(note);
    return work;
  }

  /** `3.1~1/2.1` is a call in the sub-agent that call `3.1` is, the second time. */
  function workOf(call: string): Work | undefined {
    const known = calls.get(call) ?? byId.get(call);
    const slash = call.lastIndexOf('/');
    return known ?? (slash < 0 ? undefined : workOf(withoutSchedule(call.slice(0, slash))));
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
  return note.type === 'waiting' && endsByExtension(note.park);
}

function endWait({ spans }: Work, call: string, at: number): void {
  for (const span of spans) if (span.type === 'wait' && span.call === call) span.to ??= at;
}
