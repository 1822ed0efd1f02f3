import { freshCounters } from '../../agent/limits/counters.ts';
import { StoppableClock } from '../../agent/limits/stoppable-clock.ts';
import { PAUSED_SUMMARY, needsPerson, readSummary } from '../../agent/rules/waiting.ts';
import type { Fact } from '../read/fact.ts';
import { EARLIER_EFFECTS } from '../../agent/calls/restart.ts';
import { REWIND_POINT } from '../../agent/run/rewind-point.ts';
import { asRewindPoint, asRunInput } from '../read/records.ts';

/** Name of the waits in sub-agents; the other waits have the names of their timers. */
const BELOW = 'below';

/** Clock of a run's time limit, computed from the facts of a history. Stopped while a call waits for a person, and during a pause. */
export function createRunClock() {
  let clock = new StoppableClock({ startedAtMs: 0, waitedMs: 0 });
  let isStarted = false;
  /** Milliseconds of the kept steps, before the clock starts. */
  let elapsedBefore = 0;
  /** Key of the activity that reads the rewind point. */
  let rewinding: string | undefined;
  /** Key of the activity that resolves the agent. The clock starts when that activity ends; earlier waits do not count. */
  let resolving: string | undefined;
  const waits = new Set<string>();

  function start(at: number): void {
    if (!isStarted) clock.restart(elapsedBefore, at);
    isStarted = true;
  }

  function beginWait(name: string, at: number): void {
    if (!waits.has(name)) clock.stop(at);
    waits.add(name);
  }

  function endWait(name: string, at: number): void {
    if (waits.delete(name)) clock.resume(at);
  }

  return {
    elapsedMs: (atMs: number): number => (isStarted ? clock.elapsedMs(atMs) : elapsedBefore),

    /** Stops for waits in sub-agents: `isWaiting` says whether there is one. */
    waitsBelow(isWaiting: boolean, at: number): void {
      if (isWaiting) beginWait(BELOW, at);
      else endWait(BELOW, at);
    },

    async next(fact: Fact): Promise<void> {
      const { at } = fact;
      switch (fact.type) {
        case 'started': {
          resolving = undefined;
          rewinding = undefined; // keys are unique within one run only
          const { counters, restart } = asRunInput(await fact.input()) ?? {};
          waits.clear();
          const { startedAtMs, waitedMs } = counters ?? freshCounters(0);
          clock = new StoppableClock({ startedAtMs, waitedMs });
          isStarted = restart === undefined && counters !== undefined;
          elapsedBefore = restart?.elapsedMs ?? 0;
          return;
        }
        case 'scheduled':
          if (fact.name === 'resolveAgent') resolving = fact.key;
          else if (fact.name === REWIND_POINT) rewinding = fact.key;
          else if (fact.name !== EARLIER_EFFECTS) start(at);
          return;
        case 'timer_started': {
          const summary = await fact.summary();
          const wait = readSummary(summary);
          if (summary === PAUSED_SUMMARY || (wait && needsPerson(wait))) beginWait(fact.timer, at);
          return;
        }
        case 'timer_cancelled':
        case 'timer_fired':
          return endWait(fact.timer, at);
        case 'succeeded':
        case 'failed':
        case 'cancelled':
          if (fact.key === resolving) start(at);
          if (fact.type !== 'succeeded' || fact.key !== rewinding) return;
          elapsedBefore = asRewindPoint(await fact.result())?.elapsedMs ?? 0;
          isStarted = false;
          return;
        default:
          return;
      }
    },
  };
}
