import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { freshCounters } from '../../agent/limits/counters.ts';
import { StoppableClock } from '../../agent/limits/stoppable-clock.ts';
import { runSignals } from '../../agent/run/run-signals.ts';
import { PAUSED_SUMMARY, needsPerson, readSummary } from '../../agent/rules/waiting.ts';
import { applyWaitsChange } from '../../agent/run/waits-change.ts';
import { childWaitingSignal } from '../../workflows/messages.ts';
import type { Fact } from '../read/fact.ts';
import { EARLIER_EFFECTS } from '../../agent/calls/restart.ts';
import { REWIND_POINT } from '../../agent/run/rewind-point.ts';
import { asRewindPoint, asRunInput } from '../read/records.ts';

/** Clock of a run's time limit, computed from the facts of a history. Stopped while a call waits for a person, and during a pause. */
export interface RunClock {
  next(fact: Fact): Promise<void>;
  elapsedMs(atMs: number): number;
}

export function createRunClock(): RunClock {
  let clock = new StoppableClock({ startedAtMs: 0, waitedMs: 0 });
  let isStarted = false;
  /** Milliseconds of the kept steps, before the clock starts. */
  let elapsedBefore = 0;
  /** Key of the activity that reads the rewind point. */
  let rewinding: string | undefined;
  /** Key of the activity that resolves the agent. The clock starts when that activity ends; earlier waits do not count. */
  let resolving: string | undefined;
  const waits = new Set<string>();
  /** Workflow ids of sub-agents, by the key of the schedule. */
  const children = new Map<string, string>();
  /** Open waits in sub-agents, by the call that runs the sub-agent. */
  const within = new Map<string, WaitingCall[]>();

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
    elapsedMs: (atMs) => (isStarted ? clock.elapsedMs(atMs) : elapsedBefore),

    async next(fact) {
      const { at } = fact;
      switch (fact.type) {
        case 'started': {
          resolving = undefined;
          rewinding = undefined; // keys are unique within one run only
          const { counters, restart } = asRunInput(await fact.input()) ?? {};
          waits.clear();
          within.clear();
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
          if (fact.of === 'child') children.set(fact.key, fact.workId);
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
        case 'signaled': {
          if (fact.name !== childWaitingSignal.name) return;
          const change = runSignals.childWaiting(await fact.input());
          if (change === undefined) return;
          const { caller } = change;
          const waiting = applyWaitsChange(within.get(caller) ?? [], change);
          within.set(caller, waiting);
          return waiting.some(needsPerson) ? beginWait(`/${caller}`, at) : endWait(`/${caller}`, at);
        }
        case 'succeeded':
        case 'failed':
        case 'cancelled': {
          if (fact.key === resolving) start(at);
          if (fact.type === 'succeeded' && fact.key === rewinding) {
            elapsedBefore = asRewindPoint(await fact.result())?.elapsedMs ?? 0;
            isStarted = false;
          }
          const child = children.get(fact.key);
          for (const name of child === undefined ? [] : waits) if (child?.endsWith(name)) endWait(name, at);
          return;
        }
        default:
          return;
      }
    },
  };
}
