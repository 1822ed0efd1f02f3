import type { ReachedLimit } from '../../agent/limits/run-limits.ts';

/** An agent's waits at its limits: what `extend` needs to know of them, and ends. */
export class LimitWait {
  #reached: ReachedLimit | undefined;
  #call = '';
  #waits = 0;

  /** The limit at which the agent waits now. */
  get reached(): ReachedLimit | undefined {
    return this.#reached;
  }

  /** How often it has waited before this model call: the call's first schedule comes after these waits. */
  waits(call: string): number {
    return call === this.#call ? this.#waits : 0;
  }

  begin(call: string, reached: ReachedLimit): void {
    this.#waits = this.waits(call) + 1;
    this.#call = call;
    this.#reached = reached;
  }

  end(): void {
    this.#reached = undefined;
  }
}
