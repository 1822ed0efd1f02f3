import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { type Counters, timeLeft } from '../../agent/limits/counters.ts';
import { StoppableClock } from '../../agent/limits/stoppable-clock.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { DEADLINE_SUMMARY } from '../../agent/rules/waiting.ts';

/**
 * Time limit of a run. Waiting for a person does not count: a wait calls `pause()` and `resume()`.
 */
export class Deadline {
  readonly #manifest: AgentManifest;
  readonly #counters: Counters;
  readonly #cut = new Set<CancellationScope>();
  #passed = false;
  readonly #clock: StoppableClock;
  #watch: CancellationScope | undefined;

  constructor(manifest: AgentManifest, counters: Counters) {
    this.#manifest = manifest;
    this.#counters = counters;
    this.#clock = new StoppableClock(counters);
  }

  /** The limit has been reached, and running calls are cancelled. */
  get passed(): boolean {
    return this.#passed;
  }

  /** Time by which the limit is measured, milliseconds since 1970. It does not move during a wait for a person. */
  get nowMs(): number {
    return this.#clock.at(Date.now());
  }

  /** Continues after the limit if a person has raised it enough. Returns true if the run may continue. */
  renew(): boolean {
    this.#passed &&= timeLeft(this.#manifest, this.#counters, this.nowMs) <= 0;
    return !this.#passed;
  }

  /** Sets the clock back to a step. `elapsedMs`: time used at that step. */
  rewind(elapsedMs: number): void {
    this.#clock.restart(elapsedMs, Date.now());
    // The limit may change too: later raises by a person no longer hold.
    this.unwatch();
    this.watch();
  }

  /** Stops the clock for a wait. Waits may overlap. */
  pause(): void {
    this.#clock.stop(Date.now());
  }

  resume(): void {
    this.#clock.resume(Date.now());
  }

  /** Runs a call in a scope that the deadline cancels. */
  within<T>(scope: CancellationScope, run: () => Promise<T>): Promise<T> {
    this.#cut.add(scope);
    if (this.#passed) scope.cancel();
    return scope.run(run).finally(() => this.#cut.delete(scope));
  }

  /** Starts the timer of the limit. After a wait it is set again for the time that is left. */
  watch(): void {
    if (this.#manifest.maxExecutionTimeMs === null) return;
    this.#watch = new CancellationScope();
    this.#watch
      .run(() => this.#run())
      .catch((failure: unknown) => {
        if (!isCancellation(failure)) throw failure;
      });
  }

  unwatch(): void {
    this.#watch?.cancel();
  }

  async #run(): Promise<void> {
    for (;;) {
      await condition(() => !this.#clock.isStopped);
      const left = timeLeft(this.#manifest, this.#counters, Date.now());
      if (left > 0) {
        await sleep(left, { summary: DEADLINE_SUMMARY });
        continue;
      }
      this.#passed = true;
      for (const scope of this.#cut) scope.cancel();
      await condition(() => !this.#passed);
    }
  }
}
