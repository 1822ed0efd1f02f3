import { EXCEPTION_TOOL, type RunStatus } from '../../../agent/values/vocabulary.ts';
import type { OperatorDecision } from '../../../agent/run/events.ts';
import { ruleOf } from '../../../agent/rules/decisions.ts';
import { type WaitingCall, calledText, needsPerson, reasonText } from '../../../agent/rules/waiting.ts';
import { count, duration } from '../words/amounts.ts';
import { type Html, html } from './html.ts';
import type { ShownCall, Note, ShownTurn, Work } from '../../../agent/views/run-turns.ts';

/** A state as a colour and a word. */
interface State {
  tone: 'good' | 'bad' | 'wait' | 'busy' | 'quiet';
  word: string;
}

export function badge({ tone, word }: State): Html {
  return html`<span class="badge ${tone}">${word}</span>`;
}

export function stateOfRun(status: RunStatus, stopReason: string | null): State {
  if (status === 'stopped' && stopReason !== null) return { tone: 'wait', word: `stopped: ${stopReason}` };
  return { tone: TONES[status], word: status === 'waiting' ? 'waiting for a person' : status };
}

const TONES: { readonly [S in RunStatus]: State['tone'] } = {
  completed: 'good',
  stopped: 'wait',
  waiting: 'wait',
  paused: 'wait',
  running: 'busy',
  failed: 'bad',
  cancelled: 'quiet',
};

const ends = new Set<Note['type']>(['decided', 'failed', 'unanswered']);
const unanswered: State = { tone: 'wait', word: 'no decision' };

/** undefined for a call that ended as a call should: it needs no word. */
export function stateOfCall(call: ShownCall): State | undefined {
  const { step, startedAs } = call;
  if (step === undefined) return unfinished(call);
  if (startedAs === EXCEPTION_TOOL) return { tone: 'bad', word: 'unreadable' };
  if (startedAs === 'invalid_tool') return { tone: 'bad', word: 'unknown tool' };
  const last = call.notes.findLast(({ type }) => ends.has(type));
  if (last?.type === 'failed') return { tone: 'bad', word: 'failed' };
  if (last?.type === 'unanswered') return unanswered;
  if (last?.type !== 'decided' || callContinues.has(last.decision.type)) return undefined;
  return { tone: 'quiet', word: ruleOf(last.decision.type).past };
}

/** Decisions after which the call's own end counts. */
const callContinues = new Set<OperatorDecision['type']>(['retry', 'reconcile']);

export function stateOfTurn(turn: ShownTurn): State | undefined {
  if (turn.reply === undefined) return isLimit(turn) ? stateOfLimit(turn) : unfinished(turn);
  return turn.reply.turn.decision.type === 'fail' ? { tone: 'bad', word: 'unreadable' } : undefined;
}

/** The run has come to a limit there, and the model was not asked. */
export function isLimit({ reply, spans, notes }: ShownTurn): boolean {
  return reply === undefined && spans.every(({ type }) => type === 'wait') && notes.length > 0;
}

function stateOfLimit({ spans, notes }: ShownTurn): State | undefined {
  if (spans.some(({ to }) => to === undefined)) return { tone: 'wait', word: 'waiting for a person' };
  const last = notes.findLast(({ type }) => ends.has(type));
  if (last?.type === 'unanswered') return unanswered;
  return last?.type === 'decided' ? { tone: 'quiet', word: ruleOf(last.decision.type).past } : undefined;
}

function unfinished({ spans, notes }: Work): State {
  if (spans.some(({ type, to }) => type === 'wait' && to === undefined)) {
    const last = notes.findLast(({ type }) => type === 'waiting');
    const inDoubt = last?.type === 'waiting' && !needsPerson(last.wait);
    return { tone: 'wait', word: inDoubt ? 'in doubt' : 'waiting for a person' };
  }
  if (spans.some(({ to }) => to === undefined)) return { tone: 'busy', word: 'running' };
  return notes.some(({ type }) => type === 'failed')
    ? { tone: 'bad', word: 'failed' }
    : { tone: 'quiet', word: 'not finished' };
}

export function waitingFor(wait: WaitingCall): string {
  const { call, reason } = wait;
  if (reason === 'limit') return `the run before step ${call} ${reasonText(wait)}`;
  const why = reason === 'approval' ? 'needs approval' : reasonText(wait);
  return `${calledText(wait)} ${why}`;
}

/** 850 ms, 12.5 s, 4 min 10 s, 3 h 5 min, 2 days 7 h. */
export function lasted(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  if (hours < 1) return duration(ms);
  if (hours < 48) return `${hours} h ${Math.floor(ms / 60_000) % 60} min`;
  return `${count(Math.floor(hours / 24), 'day')} ${hours % 24} h`;
}

/** 2026-03-01 14:05:09 UTC: a page is read anywhere. */
export function utcTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
