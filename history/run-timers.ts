import { DEADLINE_SUMMARY, readSummary } from '../agent/rules/waiting.ts';
import type { WaitingReason } from '../agent/vocabulary.ts';

/** What the timers of one run say: that its time limit is reached, or that a call waits for a person. */
export interface RunTimers {
  /** The call that the timer records the wait of. */
  started(
    timer: string,
    summary: unknown,
    isLegacy: boolean,
  ): { call: string; reason: WaitingReason } | undefined;
  /** The timer of the time limit has fired, and nothing has put the limit off; or the call whose wait it records. */
  fired(timer: string): 'deadline' | { call: string } | undefined;
  /** A person is waited for: the clock of the time limit stands still. */
  putOff(): void;
  /** A new run: its timers are counted anew. */
  clear(): void;
}

export function createRunTimers(): RunTimers {
  /** Of the time limit; false once a person has been waited for meanwhile, which puts the limit off. */
  const deadlines = new Map<string, boolean>();
  const waits = new Map<string, string>();
  return {
    started(timer, summary, isLegacy) {
      if (summary === DEADLINE_SUMMARY || (summary === undefined && isLegacy)) deadlines.set(timer, true);
      const wait = readSummary(summary);
      if (wait !== undefined) waits.set(timer, wait.call);
      return wait;
    },
    fired(timer) {
      if (deadlines.get(timer) === true) return 'deadline';
      const call = waits.get(timer);
      return call === undefined ? undefined : { call };
    },
    putOff() {
      for (const timer of deadlines.keys()) deadlines.set(timer, false);
    },
    clear() {
      deadlines.clear();
      waits.clear();
    },
  };
}
