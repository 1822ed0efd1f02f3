import {
  type AgentAction,
  asText,
  type DecisionName,
  isDropped,
  type Json,
  type RunEvent,
  type RunView,
  type WaitingCall,
} from '../../client/index.ts';
import { createComingCalls } from './coming-calls.ts';

/**
 * A part of a run's reply to a front end. Text arrives while the model writes. Only `void` takes parts back: the parts of all calls that
 * are not void are those of the record. `call`: `3` for a model call, `3.1` for a tool call.
 */
export type RunPart = {
  /** Cursor for `events({ after })`. Live parts have none. */
  eventId?: string | undefined;
} & (
  | { type: 'text' | 'reasoning'; call: string; delta: string }
  /** All parts of the call so far are obsolete: another attempt of the model writes them, or a restart dropped the call. */
  | { type: 'void'; call: string }
  /** The model call is over, and its text is complete. `isAnswer`: the text is the answer, and no tool call follows. */
  | { type: 'turn'; call: string; isAnswer: boolean }
  /** `client`: number of the wait in which the client carries the call out. Such a part comes with its `waiting`. */
  | { type: 'tool_call'; call: string; action: AgentAction; client?: number | undefined }
  /** Progress of a tool, in place of its progress before. */
  | { type: 'tool_progress'; call: string; text: string }
  | { type: 'tool_result'; call: string; observation: Json }
  /** No worker polls the run's task queue, or a worker does again. Sent only when that has changed: at first a worker is there. */
  | { type: 'worker'; isThere: boolean }
  | { type: 'waiting'; wait: WaitingCall }
  /**
   * The waits that have to end before the run continues; none: the run works again. Sent when that has changed, and where the run is held up
   * as reading starts.
   */
  | { type: 'held_up'; by: WaitingCall[] }
  /** People's messages to the run, as its next model call starts, which has them. `call`: `3.said1` at the model call `3`. */
  | { type: 'said'; call: string; texts: string[] }
  /** `decision`: undefined where no person decided in this run. */
  | { type: 'wait_ended'; call: string; decision?: DecisionName | undefined }
  /** All that was recorded when reading started has been given: a call that waits now waits still. Not for a run that has ended. */
  | { type: 'caught_up' }
  /** The output of the run, unless the text of the last model call is the output. */
  | { type: 'output'; text: string }
  | { type: 'ended'; end: RunEnd }
);

/** Separates the texts of two model calls where a client has them as one text. */
export const BETWEEN_TEXTS = '\n\n';

export type RunEnd = Extract<RunEvent, { type: 'run_ended' }>;

export interface RunPartsOptions {
  /**
   * False for an agent with a text format or an `output`: its model writes thoughts and actions, or JSON that may be wrong and is written
   * again, which are no text for a front end. The answer is a part `output` then.
   */
  isPlain: boolean;
  /** The run as of the event that was given last. */
  view: RunView;
}

type Field = 'text' | 'reasoning';
type Written = { attempt: number } & Record<Field, string>;

/** Maps the events of a run to parts of its reply. Events of sub-agents are left out: a sub-agent is a tool call of its parent. */
export async function* runParts(
  events: AsyncIterable<RunEvent>,
  { isPlain, view }: RunPartsOptions,
): AsyncGenerator<RunPart> {
  /** Written parts by call, in the order of the calls. */
  const written = new Map<string, Written>();
  let lastText: string | undefined;
  /** Messages that no model call has yet. */
  let unheard: string[] = [];
  let said = 0;
  const coming = createComingCalls();
  /** Calls of the client that wait, until all of the turn do. */
  const asked: WaitingCall[] = [];
  let heldUpBy = '';
  for await (const event of events) {
    if (event.within !== undefined) continue;
    coming.note(event);
    for (const part of [...partsOf(event), ...(coming.isEmpty() ? askClient() : []), ...holdUp(event)]) {
      yield event.eventId === undefined ? part : { ...part, eventId: event.eventId };
    }
  }

  function partsOf(event: RunEvent): RunPart[] {
    switch (event.type) {
      case 'model_started':
        return hear(event.call);
      case 'steered':
        if (event.message.type === 'say') unheard.push(event.message.text);
        return [];
      case 'model_text':
        return isPlain ? write(event.call, event.attempt, { text: event.text }) : [];
      case 'model_reasoning':
        return write(event.call, event.attempt, { reasoning: event.text });
      case 'model_ended': {
        const { call, attempts, turn } = event;
        if (turn.decision.type === 'compact') return []; // a summary for the model itself
        const { text, reasoning = '' } = turn;
        lastText = isPlain ? text : undefined;
        const whole = isPlain ? { reasoning, text } : { reasoning };
        const isAnswer = turn.decision.type === 'finish';
        return [...write(call, turn.attempt ?? attempts, whole, 'whole'), { type: 'turn', call, isAnswer }];
      }
      case 'model_failed':
        return drop(event.call);
      case 'action':
        written.set(event.call, { attempt: 0, text: '', reasoning: '' });
        if (event.client === true) return [];
        return [{ type: 'tool_call', call: event.call, action: event.action }];
      case 'tool_progress':
        return [{ type: 'tool_progress', call: event.call, text: event.text }];
      case 'step':
        return [
          ...askClient(),
          { type: 'tool_result', call: event.step.call, observation: event.step.observation },
        ];
      case 'waiting':
        return beginWait(event.wait);
      case 'decided':
        return [{ type: 'wait_ended', call: event.call, decision: event.decision.type }];
      case 'caught_up':
        return [{ type: 'caught_up' }];
      case 'unanswered':
      case 'resumed':
        return [{ type: 'wait_ended', call: event.call }];
      case 'restarted':
        asked.length = 0;
        unheard = []; // those that the model has still to see are said again
        return droppedBy(event).flatMap(drop);
      case 'finish': {
        const text = asText(event.output);
        return isSaid(text, lastText) ? [] : [{ type: 'output', text }];
      }
      case 'run_ended':
        return [...askClient(), { type: 'ended', end: event }];
      default:
        return [];
    }
  }

  function holdUp({ type }: RunEvent): RunPart[] {
    const by = view.heldUpBy();
    const before = heldUpBy;
    heldUpBy = by.map(({ call, n }) => `${call} ${n}`).join();
    const isNews = heldUpBy !== before || (type === 'caught_up' && by.length > 0);
    return isNews ? [{ type: 'held_up', by }] : [];
  }

  function beginWait(wait: WaitingCall): RunPart[] {
    if (wait.reason !== 'client_tool') return [{ type: 'waiting', wait }];
    asked.push(wait);
    return [];
  }

  /** All calls before all waits: a reply may end when all calls that it has wait. */
  function askClient(): RunPart[] {
    const waits = asked.splice(0);
    return [
      ...waits.map(({ call, n, tool, toolInput }): RunPart => {
        return { type: 'tool_call', call, action: { tool, toolInput, log: '' }, client: n };
      }),
      ...waits.map((wait): RunPart => ({ type: 'waiting', wait })),
    ];
  }

  function hear(modelCall: string): RunPart[] {
    if (unheard.length === 0) return [];
    const part: RunPart = { type: 'said', call: `${modelCall}.said${++said}`, texts: unheard };
    written.set(part.call, { attempt: 0, text: '', reasoning: '' });
    unheard = [];
    return [part];
  }

  /** `whole`: the fields are complete. A live reasoning may be the end of a longer one, which is left out until then. */
  function write(
    call: string,
    attempt: number,
    now: Partial<Record<Field, string>>,
    whole?: 'whole',
  ): RunPart[] {
    const before = written.get(call) ?? { attempt, text: '', reasoning: '' };
    const after = { ...before, attempt };
    const parts: RunPart[] = [];
    for (const type of ['reasoning', 'text'] as const) {
      const field = now[type] ?? before[type];
      if (field.startsWith(before[type])) {
        const delta = field.slice(before[type].length);
        if (delta !== '') parts.push({ type, call, delta });
        after[type] = field;
      } else if (type === 'text' || attempt !== before.attempt || whole !== undefined) {
        return [...drop(call), ...write(call, attempt, now, whole)];
      }
    }
    written.set(call, after);
    return parts;
  }

  function drop(call: string): RunPart[] {
    return written.delete(call) ? [{ type: 'void', call }] : [];
  }

  function droppedBy(restart: Extract<RunEvent, { type: 'restarted' }>): string[] {
    return [...written.keys()].filter((call) => isDropped(call, restart));
  }
}

/** True if the text of the last model call is the answer, or its JSON with other spaces. */
function isSaid(answer: string, lastText: string | undefined): boolean {
  if (lastText === undefined || lastText === answer) return lastText === answer;
  try {
    return JSON.stringify(JSON.parse(lastText)) === answer;
  } catch {
    return false;
  }
}
