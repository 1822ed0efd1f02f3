import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { type Counters, timeLeft } from '../../agent/limits/counters.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { DEADLINE_SUMMARY } from '../../agent/rules/waiting.ts';

/**
 * A run's time limit. Time spent waiting for a person does not count: whoever waits stops the clock. Nobody else writes
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

  /** The limit has been reached: what was running is cut. */
  get passed(): boolean {
    return this.#passed;
  }

  /** The time by which the limit is measured: it stands still while a person is waited for. */
  get nowMs(): number {
    return this.#waits === 0 ? Date.now() : this.#waitingSinceMs;
  }

  /** Goes on from a limit that has been reached, where a person has given the run more time. Says whether it does. */
  renew(): boolean {
    this.#passed &&= timeLeft(this.#manifest, this.#counters, this.nowMs) <= 0;
    return !this.#passed;
  }

  /** The run rewinds itself: so much had passed of its time limit at the step. */
  rewind(elapsedMs: number): void {
    this.#counters.startedAtMs = this.nowMs - elapsedMs;
    this.#counters.waitedMs = 0;
    // The limit itself may be another one: what a person added since does not hold.
    this.unwatch();
    this.watch();
  }

  /** A person is waited for. */
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

  /** Keeps the limit with one timer, which may have to go on after a wait. */
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
