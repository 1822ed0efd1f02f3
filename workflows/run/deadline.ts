import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { type Counters, timeLeft } from '../../agent/limits/counters.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { DEADLINE_SUMMARY } from '../../agent/rules/waiting.ts';

/**
 * Time limit of a run. Waiting for a person does not count: a wait calls `pause()` and `resume()`. Only this class writes
 * `counters.waitedMs`.
 */
export class Deadline {
  readonly #manifest: AgentManifest;
  readonly #counters: Counters;
  readonly #cut = new Set<CancellationScope>();
  #passed = false;
  #waits = 0;
  #waitingSinceMs = 0;
  #watch: CancellationScope | undefined;

  constructor(manifest: AgentManifest, counters: Counters) {
    this.#manifest = manifest;
    this.#counters = counters;
  }

  /** The limit has been reached, and running calls are cancelled. */
  get passed(): boolean {
    return this.#passed;
  }

  /** Time by which the limit is measured, milliseconds since 1970. It does not move during a wait for a person. */
  get nowMs(): number {
    return this.#waits === 0 ? Date.now() : this.#waitingSinceMs;
  }

  /** Continues after the limit if a person has raised it enough. Returns true if the run may continue. */
  renew(): boolean {
    this.#passed &&= timeLeft(this.#manifest, this.#counters, this.nowMs) <= 0;
    return !this.#passed;
  }

  /** Sets the clock back to a step. `elapsedMs`: time used at that step. */
  rewind(elapsedMs: number): void {
    this.#counters.startedAtMs = this.nowMs - elapsedMs;
    this.#counters.waitedMs = 0;
    // The limit may change too: later raises by a person no longer hold.
    this.unwatch();
    this.watch();
  }

  /** Stops the clock for a wait. Waits may overlap. */
  pause(): void {
    if (this.#waits++ === 0) this.#waitingSinceMs = Date.now();
  }

  resume(): void {
    if (--this.#waits === 0) this.#counters.waitedMs += Date.now() - this.#waitingSinceMs;
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
      await condition(() => this.#waits === 0);
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
