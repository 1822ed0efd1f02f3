import { PAUSED_SUMMARY, readSummary } from '../agent/rules/waiting.ts';
import { childWaitingSignal } from '../workflows/messages.ts';
import type { Fact } from './fact.ts';
import { asChildWaiting, asRunInput } from './records.ts';

/** The clock of a run's time limit, as it is read from the record: it stands still while a person is waited for, and in a pause. */
export interface RunClock {
  next(fact: Fact): Promise<void>;
  elapsedMs(atMs: number): number;
}

export function createRunClock(): RunClock {
  let startedAtMs: number | undefined;
  /** The fact that has the agent resolved: the clock starts when it is, whatever was waited for before. */
  let resolving: string | undefined;
  let waitedMs = 0;
  let waitingSinceMs = 0;
  const waits = new Set<string>();
  /** Sub-agents by the fact that began each. */
  const children = new Map<string, string>();

  function start(at: number): void {
    if (startedAtMs !== undefined) return;
    startedAtMs = at;
    waitingSinceMs = at;
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
      startedAtMs === undefined ? 0 : (waits.size > 0 ? waitingSinceMs : atMs) - startedAtMs - waitedMs,

    async next(fact) {
      const { at } = fact;
      switch (fact.type) {
        case 'started': {
          resolving = undefined;
          const { counters, restart } = asRunInput(await fact.input()) ?? {};
          waits.clear();
          waitedMs = restart === undefined ? (counters?.waitedMs ?? 0) : 0;
          startedAtMs = restart === undefined ? counters?.startedAtMs : at - restart.elapsedMs;
          return;
        }
        case 'scheduled':
          if (fact.name === 'resolveAgent') resolving = fact.key;
          else startedAtMs ??= at;
          if (fact.of === 'child') children.set(fact.key, fact.workId);
          return;
        case 'timer_started': {
          const summary = await fact.summary();
          if (summary === PAUSED_SUMMARY || readSummary(summary) !== undefined) begin(fact.timer, at);
          return;
        }
        case 'timer_cancelled':
        case 'timer_fired':
          return end(fact.timer, at);
        case 'signaled': {
          if (fact.name !== childWaitingSignal.name) return;
          const told = asChildWaiting(await fact.input());
          if (told === undefined) return;
          return told.parks.length > 0 ? begin(`/${told.caller}`, at) : end(`/${told.caller}`, at);
        }
        case 'succeeded':
        case 'failed':
        case 'cancelled': {
          if (fact.key === resolving) start(at);
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
