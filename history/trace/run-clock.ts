import { freshCounters } from '../../agent/limits/counters.ts';
import { StoppableClock } from '../../agent/limits/stoppable-clock.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/** Clock of a run's time limit, computed from its history. Stopped while a call waits for a person, and during a pause. */
export class RunClock {
  #clock = new StoppableClock({ startedAtMs: 0, waitedMs: 0 });
  #isStarted = false;
  /** Milliseconds of the kept steps, before the clock starts. */
  #elapsedBefore = 0;

  /** An execution starts. The clock of a continued run keeps its time. */
  begin({ counters, restart }: Partial<AgentRunInput>): void {
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
    this.#elapsedBefore = elapsedMs;
    this.#isStarted = false;
  }

  /** Stops the clock, or lets it run. Returns true if the clock was running before the stop. */
  stop(isStopped: boolean, at: number): boolean {
    const hasChanged = isStopped !== this.#clock.isStopped;
    if (hasChanged && isStopped) this.#clock.stop(at);
    if (hasChanged && !isStopped) this.#clock.resume(at);
    return hasChanged && isStopped;
  }

  elapsedMs(at: number): number {
    return this.#isStarted ? this.#clock.elapsedMs(at) : this.#elapsedBefore;
  }
}
