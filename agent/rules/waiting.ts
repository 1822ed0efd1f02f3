import { callPath } from '../calls/call-path.ts';
import type { AgentManifest, AskTimeout, ToolManifest } from '../definition/manifest.ts';
import { type Raise, usualRaise } from '../limits/usual-raise.ts';
import type { ErrorInfo, Json } from '../values/vocabulary.ts';
import { type WaitingReason, waitReasonOf, waitingReasons } from './wait-reasons.ts';
import { boundedText } from '../values/values.ts';
import type { CallEnd } from './call-rules.ts';
import {
  type CallState,
  type DecisionFields,
  type DecisionName,
  fittingDecisions,
  ruleOf,
} from './decisions.ts';

/**
 * A tool call (`3.1`) or model call (`3`) that waits for a person, or (with `until`) for its lost attempt to end. `n` counts the
 * call's waits, from 0.
 */
export interface WaitingCall extends Wait {
  call: string;
  n: number;
  tool: string;
  toolInput: Json;
}

/** The wait of a call: its reason, and details for the person who decides. */
export interface Wait {
  reason: WaitingReason;
  /** The error of the failed call. For a doubt or a repetition, the error says what is known of the call. */
  error?: ErrorInfo | undefined;
  /** The note of the tool that deferred the call, for the person who gives the result. */
  note?: Json | undefined;
  /**
   * Set with reason `doubt` if the lost attempt may still be running. Reloop calls the tool's `reconcile` at this time, in milliseconds
   * since 1970. No person has to decide; the decision `reconcile` calls it now.
   */
  until?: number | undefined;
}

/**
 * Summary of the timer that records a wait. The timer fires only when the wait times out. The Web UI shows the summary on its timeline,
 * with the accepted updates; readers of the history read the wait from it.
 */
export function waitingSummary(call: string, what: string, state: CallState): string {
  const shown = boundedText(what, 80);
  const until = state.until === undefined ? '' : ` until ${new Date(state.until).toISOString()}`;
  return `waiting: ${call} ${shown} ${state.waiting}${until}. ${possibleUpdates(state).join(' | ')}`;
}

/** Returns false for a wait that ends automatically: the run is not `waiting` then, and its clock does not stop. */
export function needsPerson({ until }: { until?: number | undefined }): boolean {
  return until === undefined;
}

/** Names of the updates that a call accepts in this state: decisions, and messages to the run that end its wait. */
export function possibleUpdates(state: CallState): string[] {
  const message = state.waiting && waitReasonOf(state.waiting).message;
  return [...(message === undefined ? [] : [message]), ...fittingDecisions(state)];
}

/** Returns true if a person's text that does not name a decision is the result of the call. */
export function awaitsResult({ reason }: Pick<WaitingCall, 'reason'>): boolean {
  return waitReasonOf(reason).awaitsResult === true;
}

/** Returns true if raising a limit ends the wait: the run's own agent waits at a limit. */
export function endsByExtension(wait: WaitingCall): boolean {
  return wait.reason === 'limit' && isOfOwnModelCall(wait);
}

/** Returns true for the wait of a model call of the run's own agent: `3`, not `3.1` or `3.1/2`. */
export function isOfOwnModelCall({ call }: WaitingCall): boolean {
  const [own = '', ...below] = callPath(call);
  return below.length === 0 && !own.includes('.');
}

/** Reads the wait in a timer's summary; undefined: the timer records no wait. */
export function readSummary(summary: unknown): RecordedWait | undefined {
  const text = typeof summary === 'string' ? summary : '';
  const call = /^waiting: (\S+) /u.exec(text)?.[1];
  if (call === undefined) return undefined;
  const figure = /^waiting: \S+ (\S+ \w+) limit\. /u.exec(text)?.[1];
  if (figure !== undefined) return { call, reason: 'limit', figure };
  // The tool's name may contain any words, so the last word of the sentence is the reason.
  const [, word, ends] = /^.* (\w+)(?: until (\S+))?\. [\w| ]*$/su.exec(text) ?? [];
  const reason = waitingReasons.find((known) => known === word) ?? 'failed';
  const until = ends === undefined ? NaN : Date.parse(ends);
  return Number.isNaN(until) ? { call, reason } : { call, reason, until };
}

export interface RecordedWait {
  call: string;
  reason: WaitingReason;
  /** The limit that the run reached: `15 iterations`. */
  figure?: string | undefined;
  /** Time at which the wait ends automatically: milliseconds since 1970. */
  until?: number | undefined;
}

/** Name of a waiting call in a sentence: `pay (3.1)`, or `the model of step 3`. */
export function calledText(wait: Pick<WaitingCall, 'call' | 'tool' | 'reason'>): string {
  const { call, tool } = wait;
  return stateOf(wait).kind === 'tool' ? `${tool} (${call})` : `the model of step ${call}`;
}

/** Text after the name of a waiting call, such as `failed`. */
export function reasonText({ reason, until }: Pick<WaitingCall, 'reason' | 'until'>): string {
  if (until !== undefined) return 'may still be running somewhere';
  return waitReasonOf(reason).text;
}

/** State of a waiting call, for the rules of decisions. A tool call's id (`3.1`) has a dot, a model call's (`3`) has none. */
export function stateOf({ call, reason, until }: Pick<WaitingCall, 'call' | 'reason' | 'until'>): CallState {
  const own = callPath(call).at(-1) ?? '';
  const kind = own.includes('.') ? 'tool' : 'model';
  return until === undefined ? { kind, waiting: reason } : { kind, waiting: reason, until };
}

/** Time that a call waits for a person; undefined: without limit. `tool` undefined: a model call. */
export function askTimeoutOf(
  { askTimeout }: Pick<AgentManifest, 'askTimeout'>,
  tool: ToolManifest | undefined,
): AskTimeout | undefined {
  return tool?.askTimeout ?? askTimeout;
}

/** End of a call that no person decided on in time. */
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

/** Summary of the timer that records a pause: the state, and the message that ends it. */
export const PAUSED_SUMMARY = 'paused. resume';

/** Summary of the timer that is a run's time limit. */
export const DEADLINE_SUMMARY = 'time limit of the run';

/** A decision that a page can offer for a waiting call: the name for `decide`, its effect, its fields. */
export interface PossibleDecision {
  type: DecisionName;
  does: string;
  takes: { [F in keyof DecisionFields]?: 'optional' | 'required' };
}

/** The decisions that a waiting call takes. */
export function possibleDecisions(waiting: WaitingCall): PossibleDecision[] {
  return fittingDecisions(stateOf(waiting)).map((type) => {
    const { does, takes } = ruleOf(type);
    return { type, does, takes };
  });
}

/** The usual raise of the limit at which a call waits, for `extend`. undefined: no raise of a limit ends the wait. */
export function possibleRaise(waiting: WaitingCall): Raise | undefined {
  return endsByExtension(waiting) ? usualRaise(waiting) : undefined;
}
