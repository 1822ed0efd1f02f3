import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { type Counters, timeLeft } from '../agent/counters.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { DEADLINE_SUMMARY } from '../agent/rules/waiting.ts';

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
    return scope.run(run).finally(() => this.#cut.delete(scope));
  }

  /** Keeps the limit with one timer, which may have to go on after a wait. Returns what ends the watch. */
  watch(): () => void {
    const { maxExecutionTimeMs, loopVersion } = this.#manifest;
    if (maxExecutionTimeMs === null || loopVersion < 2) return () => undefined;
    const scope = new CancellationScope();
    scope
      .run(() => this.#run())
      .catch((failure: unknown) => {
        if (!isCancellation(failure)) throw failure;
      });
    return () => scope.cancel();
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
