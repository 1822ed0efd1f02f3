import { readSummary } from '../agent/rules/waiting.ts';
import { childWaitingSignal } from '../workflows/messages.ts';
import type { Fact } from './facts.ts';
import { asChildWaiting, asRunInput } from './records.ts';

/** The clock of a run's time limit, which stands still while a person is waited for, as it is read from the record. */
export interface RunClock {
  next(fact: Fact): Promise<void>;
  elapsedMs(atMs: number): number;
}

export function createRunClock(): RunClock {
  let startedAtMs: number | undefined;
  let waitedMs = 0;
  let waitingSinceMs = 0;
  const waits = new Set<string>();
  /** Sub-agents by the fact that began each. */
  const children = new Map<string, string>();

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
          const { counters, restart } = asRunInput(await fact.input()) ?? {};
          waits.clear();
          waitedMs = restart === undefined ? (counters?.waitedMs ?? 0) : 0;
          startedAtMs = restart === undefined ? counters?.startedAtMs : at - restart.elapsedMs;
          return;
        }
        case 'scheduled':
          if (fact.name !== 'resolveAgent') startedAtMs ??= at;
          if (fact.of === 'child') children.set(fact.key, fact.workId);
          return;
        case 'timer_started': {
          const summary = await fact.summary();
          if (readSummary(summary) !== undefined) begin(fact.timer, at);
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
