import { callPath } from '../calls/call-path.ts';
import type { AgentManifest, AskTimeout, ToolManifest } from '../definition/manifest.ts';
import type { ErrorInfo, Json } from '../values/vocabulary.ts';
import { type WaitingReason, waitReasonOf, waitingReasons } from './wait-reasons.ts';
import { boundedText } from '../values/values.ts';
import type { CallEnd } from './call-rules.ts';
import { type CallState, fittingDecisions } from './decisions.ts';

/**
 * A call that waits for a person, or (with `until`) for its lost attempt to end: a tool's call, or (`3`) the model's. `n` counts
 * the call's waits, from 0.
 */
export interface WaitingCall extends Wait {
  call: string;
  n: number;
  tool: string;
  toolInput: Json;
}

/** Why a call waits, and what there is to say about it. */
export interface Wait {
  reason: WaitingReason;
  /** The error of the failed call. For a doubt or a repetition, the error says what is known of the call. */
  error?: ErrorInfo | undefined;
  /** The note of the tool that deferred the call, for the person who gives the result. */
  note?: Json | undefined;
  /**
   * Only of a doubt: the lost attempt may still be running, and Reloop asks the tool's `reconcile` at this time, milliseconds since
   * 1970. Nobody has to decide; `reconcile` asks now.
   */
  until?: number | undefined;
}

/**
 * That a call waits is recorded as a timer of the run, which nobody lets fire: its summary stands on the Web UI's timeline
 * and says what to do, and whoever reads the history takes the wait from there.
 */
export function waitingSummary(call: string, what: string, state: CallState): string {
  const shown = boundedText(what, 80);
  const until = state.until === undefined ? '' : ` until ${new Date(state.until).toISOString()}`;
  return `waiting: ${call} ${shown} ${state.waiting}${until}. ${whatFits(state).join(' | ')}`;
}

/** A wait with an end of its own needs nobody: it does not make a run `waiting`, and stops no clock. */
export function needsPerson({ until }: { until?: number | undefined }): boolean {
  return until === undefined;
}

/** What may be sent to a run whose call waits: decisions on the call, and what is said to the run. */
export function whatFits(state: CallState): string[] {
  const message = state.waiting && waitReasonOf(state.waiting).message;
  return [...(message === undefined ? [] : [message]), ...fittingDecisions(state)];
}

/** More time, turns or money ends the wait of the run's own agents at their limits. */
export function endsByExtension({ call, reason }: WaitingCall): boolean {
  return reason === 'limit' && callPath(call).length === 1;
}

/** What a timer's summary says of a wait; undefined for any other timer. */
export function readSummary(summary: unknown): RecordedWait | undefined {
  const text = typeof summary === 'string' ? summary : '';
  const call = /^waiting: (\S+) /u.exec(text)?.[1];
  if (call === undefined) return undefined;
  const figure = /^waiting: \S+ (\S+ \w+) limit\. /u.exec(text)?.[1];
  if (figure !== undefined) return { call, reason: 'limit', figure };
  // The tool's name may have any words, so the last of the sentence counts. A summary that was cut is an old one.
  const [, said, ends] = /^.* (\w+)(?: until (\S+))?\. [\w| ]*$/su.exec(text) ?? [];
  const reason = waitingReasons.find((known) => known === said) ?? 'failed';
  const until = ends === undefined ? NaN : Date.parse(ends);
  return Number.isNaN(until) ? { call, reason } : { call, reason, until };
}

export interface RecordedWait {
  call: string;
  reason: WaitingReason;
  /** The limit that the run has come to: `15 iterations`. */
  figure?: string | undefined;
  /** When the wait ends by itself: milliseconds since 1970. */
  until?: number | undefined;
}

/** Why a call waits, behind its name. */
export function reasonText({ reason, until }: Pick<WaitingCall, 'reason' | 'until'>): string {
  if (until !== undefined) return 'may still be running somewhere';
  return waitReasonOf(reason).text;
}

/** A waiting call as decisions see it. A tool call's id is its model call's, a dot, and its place in the turn. */
export function stateOf({ call, reason, until }: Pick<WaitingCall, 'call' | 'reason' | 'until'>): CallState {
  const own = callPath(call).at(-1) ?? '';
  const kind = own.includes('.') ? 'tool' : 'model';
  return until === undefined ? { kind, waiting: reason } : { kind, waiting: reason, until };
}

/** How long a person is waited for; undefined: for ever. `tool`: undefined for a call of the model. */
export function askTimeoutOf(
  { askTimeout }: Pick<AgentManifest, 'askTimeout'>,
  tool: ToolManifest | undefined,
): AskTimeout | undefined {
  return tool?.askTimeout ?? askTimeout;
}

/** How a call ends that nobody decided on in time. */
export function unanswered(
  { unanswered: policy }: AskTimeout,
  { tool, reason }: { tool: string; reason: WaitingReason },
): { type: 'end'; end: CallEnd } | { type: 'fail'; error: ErrorInfo } {
  if (policy === 'observe') {
    return { type: 'end', end: { observation: waitReasonOf(reason).unanswered, fromTool: false } };
  }
  const message = `Nobody decided in time on ${tool}, which waited (${reason}).`;
  return { type: 'fail', error: { type: 'Unanswered', message } };
}

/** Summary of the timer that shows that a run is paused, and what to send. */
export const PAUSED_SUMMARY = 'paused. resume';

/** Summary of the timer that is a run's time limit. */
export const DEADLINE_SUMMARY = 'time limit of the run';
