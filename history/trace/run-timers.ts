import { DEADLINE_SUMMARY, type RecordedWait, readSummary } from '../../agent/rules/waiting.ts';

/** The timers of a run: each records the run's time limit, or the wait of a call. */
export class RunTimers {
  /** Timers of the time limit; false: ignored. */
  readonly #deadlines = new Map<string, boolean>();
  /** Calls by the timer that records their wait. */
  readonly #waits = new Map<string, string>();
  #isOverdue = false;

  /** The run has reached its time limit. */
  get isOverdue(): boolean {
    return this.#isOverdue;
  }

  /** Returns the wait that the timer records; undefined for other timers. */
  started(timer: string, summary: unknown): RecordedWait | undefined {
    if (summary === DEADLINE_SUMMARY) this.#deadlines.set(timer, true);
    const wait = readSummary(summary);
    if (wait !== undefined) this.#waits.set(timer, wait.call);
    return wait;
  }

  /** Returns the call whose wait the timer records; '' for other timers. */
  fired(timer: string): string {
    this.#isOverdue ||= this.#deadlines.get(timer) === true;
    return this.cancelled(timer);
  }

  /** Returns the call whose wait the timer records; '' for other timers. */
  cancelled(timer: string): string {
    return this.#waits.get(timer) ?? '';
  }

  /** The clock of the time limit has stopped: ignores the time limit's current timers. */
  ignoreDeadlines(): void {
    for (const timer of this.#deadlines.keys()) this.#deadlines.set(timer, false);
  }

  /** The run has more time: it is no longer overdue. */
  extended(): void {
    this.#isOverdue = false;
    this.ignoreDeadlines();
  }

  /** Forgets all timers: a new run has its own. */
  clear(): void {
    this.#isOverdue = false;
    this.#deadlines.clear();
    this.#waits.clear();
  }
}
