import { callPath } from '../calls.ts';
import type { TimelessEvent, WaitingCall } from '../events.ts';
import { type WaitingReason, waitingReasons } from '../vocabulary.ts';
import { boundedText } from '../values.ts';
import { type CallState, fittingDecisions } from './decisions.ts';

/**
 * That a call waits is recorded as a timer of the run, which nobody lets fire: its summary stands on the Web UI's timeline
 * and says what to do, and whoever reads the history takes the wait from there.
 */
export function waitingSummary(call: string, what: string, state: CallState): string {
  const shown = boundedText(what, 80);
  return `waiting: ${call} ${shown} ${state.waiting}. ${whatFits(state).join(' | ')}`;
}

/** What may be sent to a run whose call waits: decisions on the call, and what is said to the run. */
export function whatFits(state: CallState): string[] {
  return [...(state.waiting === 'limit' ? ['extend'] : []), ...fittingDecisions(state)];
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
  const said = /^.* (\w+)\. [\w| ]*$/su.exec(text)?.[1];
  return { call, reason: waitingReasons.find((reason) => reason === said) ?? 'failed' };
}

export interface RecordedWait {
  call: string;
  reason: WaitingReason;
  /** The limit that the run has come to: `15 iterations`. */
  figure?: string | undefined;
}

/** Why a call waits, behind its name. */
export function reasonText(reason: WaitingReason): string {
  switch (reason) {
    case 'failed':
      return 'failed';
    case 'approval':
      return 'needs your approval';
    case 'doubt':
      return 'may or may not have taken effect';
    case 'deferred':
      return 'waits for its result';
    case 'repeated':
      return 'was made before';
    case 'limit':
      return 'has come to a limit';
  }
}

/** A waiting call as decisions see it. A tool call's id is its model call's, a dot, and its place in the turn. */
export function stateOf({ call, reason }: WaitingCall): CallState {
  const own = callPath(call).at(-1) ?? '';
  return { kind: own.includes('.') ? 'tool' : 'model', waiting: reason };
}

/** Summary of the timer that shows that a run is paused, and what to send. */
export const PAUSED_SUMMARY = 'paused. resume';

/** Summary of the timer that is a run's time limit. */
export const DEADLINE_SUMMARY = 'time limit of the run';

/** The events for a change in which calls of a sub-agent wait. */
export function waitingChanges(before: readonly WaitingCall[], now: readonly WaitingCall[]): TimelessEvent[] {
  const isIn = (list: readonly WaitingCall[], { call, n }: WaitingCall) =>
    list.some((other) => other.call === call && other.n === n);
  return [
    ...before.filter((park) => !isIn(now, park)).map(({ call }) => ({ type: 'resumed', call }) as const),
    ...now.filter((park) => !isIn(before, park)).map((park) => ({ type: 'waiting', park }) as const),
  ];
}
