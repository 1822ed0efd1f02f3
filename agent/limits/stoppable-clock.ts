import type { Counters } from './counters.ts';

/**
 * Clock of a run's time limit. Stands still while a call waits for a person, and during a pause; such stops may overlap. All
 * times are milliseconds since 1970.
 */
export class StoppableClock {
  readonly #counters: Pick<Counters, 'startedAtMs' | 'waitedMs'>;
  #stops = 0;
  #stoppedAtMs = 0;

  /** Writes `waitedMs` of the counters, and both fields at a restart. */
  constructor(counters: Pick<Counters, 'startedAtMs' | 'waitedMs'>) {
    this.#counters = counters;
  }

  get isStopped(): boolean {
    return this.#stops > 0;
  }

  /** Time of the clock: the time of the first stop while the clock is stopped. */
  at(nowMs: number): number {
    return this.isStopped ? this.#stoppedAtMs : nowMs;
  }

  stop(nowMs: number): void {
    if (this.#stops++ === 0) this.#stoppedAtMs = nowMs;
  }

  resume(nowMs: number): void {
    if (--this.#stops === 0) this.#counters.waitedMs += nowMs - this.#stoppedAtMs;
  }

  elapsedMs(nowMs: number): number {
    const { startedAtMs, waitedMs } = this.#counters;
    return this.at(nowMs) - startedAtMs - waitedMs;
  }

  /** `elapsedMs`: time already used. Stops stay. */
  restart(elapsedMs: number, nowMs: number): void {
    this.#counters.startedAtMs = this.at(nowMs) - elapsedMs;
    this.#counters.waitedMs = 0;
  }
}
