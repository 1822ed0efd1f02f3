import { DEADLINE_SUMMARY, type RecordedWait, readSummary } from '../../agent/rules/waiting.ts';

/** What the timers of one run say: that its time limit is reached, or that a call waits for a person. */
export interface RunTimers {
  /** The call that the timer records the wait of. */
  started(timer: string, summary: unknown): RecordedWait | undefined;
  /** The time limit has been reached. */
  readonly isOverdue: boolean;
  /** The call whose wait the timer records, where it is not that of the time limit. */
  fired(timer: string): { call: string } | undefined;
  /** The call whose wait the timer records. */
  cancelled(timer: string): { call: string } | undefined;
  /** A person is waited for: the clock of the time limit stands still, and what its timers under way say means nothing. */
  putOff(): void;
  /** The run has more time. */
  extended(): void;
  /** A new run: its timers are counted anew. */
  clear(): void;
}

export function createRunTimers(): RunTimers {
  /** Of the time limit; false once it has been put off. */
  const deadlines = new Map<string, boolean>();
  const waits = new Map<string, string>();
  let isOverdue = false;
  return {
    started(timer, summary) {
      if (summary === DEADLINE_SUMMARY) deadlines.set(timer, true);
      const wait = readSummary(summary);
      if (wait !== undefined) waits.set(timer, wait.call);
      return wait;
    },
    get isOverdue() {
      return isOverdue;
    },
    fired(timer) {
      isOverdue ||= deadlines.get(timer) === true;
      return this.cancelled(timer);
    },
    cancelled(timer) {
      const call = waits.get(timer);
      return call === undefined ? undefined : { call };
    },
    extended() {
      isOverdue = false;
      this.putOff();
    },
    putOff() {
      for (const timer of deadlines.keys()) deadlines.set(timer, false);
    },
    clear() {
      isOverdue = false;
      deadlines.clear();
      waits.clear();
    },
  };
}
