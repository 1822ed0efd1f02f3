import { condition, getExternalWorkflowHandle, sleep, workflowInfo } from '@temporalio/workflow';
import { PAUSED_SUMMARY } from '../../agent/rules/waiting.ts';
import { pausedAboveSignal } from '../messages.ts';
import { type RecordedTimer, recordTimer } from '../temporal/recorded-timer.ts';

/** Pause before a signal is sent again: the sub-agent's run may not have started. */
const RESEND_MS = 1000;

interface Clock {
  pause(): void;
  resume(): void;
}

/**
 * Pause of a workflow's agents: they start nothing while it is on. A sub-agent's run is paused by a person, or with its parent, which
 * sends a signal. Clocks of time limits stop during a pause.
 */
export class Pause {
  readonly #clocks = new Set<Clock>();
  /** Sub-agents under way, by call and schedule: `3.1~1`. */
  readonly #children = new Set<string>();
  /** Sub-agents to which a signal is under way. */
  readonly #sending = new Set<string>();
  #isOwn = false;
  #isAbove = false;
  /** The timer that records the pause in history, as timers record waits. */
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

  /** Pauses or resumes this run, by a person. */
  set(isOwn: boolean): void {
    this.#change(() => void (this.#isOwn = isOwn));
  }

  /** Pauses or resumes this run with its parent. */
  setAbove(isAbove: boolean): void {
    this.#change(() => void (this.#isAbove = isAbove));
  }

  /** Resolves when the run may continue. Call it only during a pause. */
  over(): Promise<void> {
    return condition(() => !this.isOn);
  }

  /** Adds a clock that stops during a pause. Returns a function that removes it. */
  addClock(clock: Clock): () => void {
    this.#clocks.add(clock);
    if (this.isOn) clock.pause();
    return () => this.#clocks.delete(clock);
  }

  /** Adds a sub-agent. `id`: the call, with the number of its schedule: `3.1~1`. */
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
    for (const child of this.#children) void this.#signal(child);
  }

  /** Signals the pause to a sub-agent, one signal at a time: signals of one task arrive in any order. */
  async #signal(child: string): Promise<void> {
    if (this.#sending.has(child)) return;
    this.#sending.add(child);
    const workflowId = `${workflowInfo().workflowId}/${child}`;
    for (let sent: boolean | undefined; this.#children.has(child) && sent !== this.isOn;) {
      const isAbove = this.isOn;
      try {
        await getExternalWorkflowHandle(workflowId).signal(pausedAboveSignal, isAbove);
        sent = isAbove;
      } catch {
        // The run has not started yet, or is closed.
        await sleep(RESEND_MS).catch(() => this.#children.delete(child));
      }
    }
    this.#sending.delete(child);
  }
}
