import { DEADLINE_SUMMARY, type RecordedWait, readSummary } from '../../agent/rules/waiting.ts';

/** The timers of a run: each records the run's time limit, or the wait of a call. */
export interface RunTimers {
  /** Returns the wait that the timer records; undefined for other timers. */
  started(timer: string, summary: unknown): RecordedWait | undefined;
  /** The run has reached its time limit. */
  readonly isOverdue: boolean;
  /** Returns the call whose wait the timer records; undefined for other timers. */
  fired(timer: string): { call: string } | undefined;
  /** Returns the call whose wait the timer records; undefined for other timers. */
  cancelled(timer: string): { call: string } | undefined;
  /** The clock of the time limit stops during a wait for a person: ignores the time limit's current timers. */
  ignoreDeadlines(): void;
  /** The run has more time: it is no longer overdue. */
  extended(): void;
  /** Forgets all timers: a new run has its own. */
  clear(): void;
}

export function createRunTimers(): RunTimers {
  /** Timers of the time limit; false: ignored. */
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
      this.ignoreDeadlines();
    },
    ignoreDeadlines() {
      for (const timer of deadlines.keys()) deadlines.set(timer, false);
    },
    clear() {
      isOverdue = false;
      deadlines.clear();
      waits.clear();
    },
  };
}
