import { type Counters, freshCounters } from './counters.ts';
import { StoppableClock } from './stoppable-clock.ts';

/** Clock of a run's time limit, and the timers that history has of it. Stopped while a call waits for a person, and during a pause. */
export class RunClock {
  #clock = new StoppableClock({ startedAtMs: 0, waitedMs: 0 });
  #isStarted = false;
  /** Milliseconds of the kept steps, before the clock starts. */
  #elapsedBefore = 0;
  /** Timers of the time limit that count. */
  readonly #timers = new Set<string>();
  #isOverdue = false;

  /** The run has reached its time limit. */
  get isOverdue(): boolean {
    return this.#isOverdue;
  }

  /** An execution starts. The clock of a continued run keeps its time. */
  begin({
    counters,
    restart,
  }: {
    counters?: Counters | undefined;
    restart?: { elapsedMs: number } | undefined;
  }) {
    this.extend();
    const { startedAtMs, waitedMs } = counters ?? freshCounters(0);
    this.#clock = new StoppableClock({ startedAtMs, waitedMs });
    this.#isStarted = restart === undefined && counters !== undefined;
    this.#elapsedBefore = restart?.elapsedMs ?? 0;
  }

  /** The agent is known, or a step starts. Starts the clock, unless it is started: earlier waits do not count. */
  start(at: number): void {
    if (!this.#isStarted) this.#clock.restart(this.#elapsedBefore, at);
    this.#isStarted = true;
  }

  /** Sets the clock back to a step, until the next `start`. */
  rewind(elapsedMs: number): void {
    this.extend();
    this.#elapsedBefore = elapsedMs;
    this.#isStarted = false;
  }

  /** Stops the clock, or lets it run. The current timers do not count after a stop. */
  stop(isStopped: boolean, at: number): void {
    if (isStopped === this.#clock.isStopped) return;
    if (isStopped) this.#clock.stop(at);
    else this.#clock.resume(at);
    if (isStopped) this.#timers.clear();
  }

  timerStarted(timer: string): void {
    this.#timers.add(timer);
  }

  /** `timer`: one of the time limit, or another one. */
  timerFired(timer: string): void {
    this.#isOverdue ||= this.#timers.has(timer);
  }

  /** The run has more time: it is not overdue, and the current timers do not count. */
  extend(): void {
    this.#isOverdue = false;
    this.#timers.clear();
  }

  elapsedMs(at: number): number {
    return this.#isStarted ? this.#clock.elapsedMs(at) : this.#elapsedBefore;
  }
}
