import { condition, getExternalWorkflowHandle, sleep, workflowInfo } from '@temporalio/workflow';
import { PAUSED_SUMMARY } from '../../agent/rules/waiting.ts';
import { pausedAboveSignal } from '../messages.ts';
import { type RecordedTimer, recordTimer } from '../temporal/recorded-timer.ts';

/** A sub-agent's run may not have begun yet when it is to be told. */
const TELL_AGAIN_MS = 1000;

interface Clock {
  pause(): void;
  resume(): void;
}

/**
 * Whether a workflow's agents may begin anything. A sub-agent's run is paused by a person, or with the run above it; it is
 * told by a signal. Clocks of time limits stand still meanwhile.
 */
export class Pause {
  readonly #clocks = new Set<Clock>();
  /** Calls under way that are sub-agents' runs. */
  readonly #children = new Set<string>();
  /** Those of them that a signal is under way to. */
  readonly #telling = new Set<string>();
  #isOwn = false;
  #isAbove = false;
  /** A pause is recorded as waits are. */
  #shown: RecordedTimer | undefined;

  get isOn(): boolean {
    return this.#isOwn || this.#isAbove;
  }

  get isOwn(): boolean {
    return this.#isOwn;
  }

  get isAbove(): boolean {
    return this.#isAbove;
  }

  /** Of this run, by a person. */
  set(isOwn: boolean): void {
    this.#change(() => void (this.#isOwn = isOwn));
  }

  /** Of the run above. */
  setAbove(isAbove: boolean): void {
    this.#change(() => void (this.#isAbove = isAbove));
  }

  /** Resolves when the run may go on. To be asked for only while it is paused. */
  over(): Promise<void> {
    return condition(() => !this.isOn);
  }

  /** A clock that stands still while the run is paused. Returns what takes it away. */
  addClock(clock: Clock): () => void {
    this.#clocks.add(clock);
    if (this.isOn) clock.pause();
    return () => this.#clocks.delete(clock);
  }

  /** `id`: of the call, with the number of its schedule: `3.1~1`. */
  childBegins(id: string): void {
    this.#children.add(id);
  }

  childEnded(id: string): void {
    this.#children.delete(id);
  }

  #change(change: () => void): void {
    const before = this.isOn;
    change();
    if (this.isOn === before) return;
    for (const clock of this.#clocks) {
      if (before) clock.resume();
      else clock.pause();
    }
    this.#shown?.end();
    this.#shown = before ? undefined : recordTimer(PAUSED_SUMMARY);
    for (const child of this.#children) void this.#tell(child);
  }

  /** One signal is under way at a time, because signals of one task arrive in any order. */
  async #tell(child: string): Promise<void> {
    if (this.#telling.has(child)) return;
    this.#telling.add(child);
    const workflowId = `${workflowInfo().workflowId}/${child}`;
    for (let told: boolean | undefined; this.#children.has(child) && told !== this.isOn;) {
      const isAbove = this.isOn;
      try {
        await getExternalWorkflowHandle(workflowId).signal(pausedAboveSignal, isAbove);
        told = isAbove;
      } catch {
        // There is no such run: not yet, or not any more.
        await sleep(TELL_AGAIN_MS).catch(() => this.#children.delete(child));
      }
    }
    this.#telling.delete(child);
  }
}
