import { callPath } from '../calls.ts';
import type { TimelessEvent, WaitingCall } from '../events.ts';
import { type CallState, fittingDecisions } from './decisions.ts';

/**
 * That a call waits is recorded as a timer of the run, which nobody lets fire: its summary stands on the Web UI's timeline
 * and says what to do, and whoever reads the history takes the wait from there.
 */
export function waitingSummary(call: string, what: string, state: CallState): string {
  const summary = `waiting: ${call} ${what} ${state.waiting}. ${fittingDecisions(state).join(' | ')}`;
  return summary.length <= 200 ? summary : `${summary.slice(0, 199)}…`;
}

/** The call that a timer's summary speaks of; undefined for any other timer. */
export function callOfSummary(summary: string): string | undefined {
  return /^waiting: (\S+) /u.exec(summary)?.[1];
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
