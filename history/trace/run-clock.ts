import type { WaitingCall } from '../../agent/rules/waiting.ts';
import { runSignals } from '../../agent/run/run-signals.ts';
import { PAUSED_SUMMARY, needsPerson, readSummary } from '../../agent/rules/waiting.ts';
import { applyWaitsChange } from '../../agent/run/waits-change.ts';
import { childWaitingSignal } from '../../workflows/messages.ts';
import type { Fact } from '../read/fact.ts';
import { EARLIER_EFFECTS } from '../../agent/calls/restart.ts';
import { REWIND_POINT } from '../../agent/run/rewind-point.ts';
import { asRewindPoint, asRunInput } from '../read/records.ts';

/** The clock of a run's time limit, as it is read from the record: it stands still while a person is waited for, and in a pause. */
export interface RunClock {
  next(fact: Fact): Promise<void>;
  elapsedMs(atMs: number): number;
}

export function createRunClock(): RunClock {
  let startedAtMs: number | undefined;
  /** Milliseconds that the kept steps took, before the clock starts. */
  let elapsedBefore = 0;
  /** Key of the activity that reads the rewind point. */
  let rewinding: string | undefined;
  /** The fact that has the agent resolved: the clock starts when it is, whatever was waited for before. */
  let resolving: string | undefined;
  let waitedMs = 0;
  let waitingSinceMs = 0;
  const waits = new Set<string>();
  /** Sub-agents by the fact that began each. */
  const children = new Map<string, string>();
  /** Calls that wait in sub-agents, by the sub-agent's call. */
  const within = new Map<string, WaitingCall[]>();

  function start(at: number): void {
    if (startedAtMs !== undefined) return;
    startedAtMs = (waits.size > 0 ? waitingSinceMs : at) - elapsedBefore;
    waitedMs = 0;
  }

  function begin(name: string, at: number): void {
    if (waits.size === 0) waitingSinceMs = at;
    waits.add(name);
  }

  function end(name: string, at: number): void {
    if (waits.delete(name) && waits.size === 0) waitedMs += at - waitingSinceMs;
  }

  return {
    elapsedMs: (atMs) =>
      startedAtMs === undefined
        ? elapsedBefore
        : (waits.size > 0 ? waitingSinceMs : atMs) - startedAtMs - waitedMs,

    async next(fact) {
      const { at } = fact;
      switch (fact.type) {
        case 'started': {
          resolving = undefined;
          rewinding = undefined; // a new run counts its events anew
          const { counters, restart } = asRunInput(await fact.input()) ?? {};
          waits.clear();
          within.clear();
          waitedMs = counters?.waitedMs ?? 0;
          startedAtMs = restart === undefined ? counters?.startedAtMs : undefined;
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
          if (summary === PAUSED_SUMMARY || (wait && needsPerson(wait))) begin(fact.timer, at);
          return;
        }
        case 'timer_cancelled':
        case 'timer_fired':
          return end(fact.timer, at);
        case 'signaled': {
          if (fact.name !== childWaitingSignal.name) return;
          const told = runSignals.childWaiting(await fact.input());
          if (told === undefined) return;
          const waiting = applyWaitsChange(within.get(told.caller) ?? [], told);
          within.set(told.caller, waiting);
          return waiting.some(needsPerson) ? begin(`/${told.caller}`, at) : end(`/${told.caller}`, at);
        }
        case 'succeeded':
        case 'failed':
        case 'cancelled': {
          if (fact.key === resolving) start(at);
          if (fact.type === 'succeeded' && fact.key === rewinding) {
            elapsedBefore = asRewindPoint(await fact.result())?.elapsedMs ?? 0;
            startedAtMs = undefined;
          }
          const child = children.get(fact.key);
          for (const name of child === undefined ? [] : waits) if (child?.endsWith(name)) end(name, at);
          return;
        }
        default:
          return;
      }
    },
  };
}
