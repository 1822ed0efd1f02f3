import { type Command, type HistoryEvent, durationMs } from './sdk.ts';
import type { Execution } from './execution.ts';

const MOST_MS = 2 ** 31 - 1;

/** The timers of an execution. */
export class Timers {
  readonly #execution: Execution;
  readonly #started = new Map<number, { startedEventId: number; timer: NodeJS.Timeout }>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  get size(): number {
    return this.#started.size;
  }

  start({ startTimer, userMetadata }: Command): void {
    const { startToFireTimeout = null, seq } = startTimer ?? {};
    const timerId = String(seq);
    const startedEventId = this.#execution.add(
      'EVENT_TYPE_TIMER_STARTED',
      { timerStartedEventAttributes: { timerId, startToFireTimeout } },
      userMetadata,
    );
    this.#arm(Number(seq), startedEventId, durationMs(startToFireTimeout) ?? 0);
  }

  /** After a reset: begins a timer of the history that was copied. */
  restore({ eventId, eventTime, timerStartedEventAttributes: timer }: HistoryEvent): void {
    const agoMs = Date.now() - (durationMs(eventTime) ?? 0);
    const ms = (durationMs(timer?.startToFireTimeout) ?? 0) - agoMs;
    this.#arm(Number(timer?.timerId), Number(eventId), Math.max(ms, 0));
  }

  #arm(seq: number, startedEventId: number, ms: number): void {
    const timerId = String(seq);
    const fire = () => {
      // A timer that was cancelled in the task under way does not fire.
      if (!this.#started.delete(seq)) return;
      this.#execution.add('EVENT_TYPE_TIMER_FIRED', {
        timerFiredEventAttributes: { timerId, startedEventId: startedEventId as never },
      });
      this.#execution.addJob({ fireTimer: { seq } });
    };
    const timer = setTimeout(() => this.#execution.receive(fire), Math.min(ms, MOST_MS));
    this.#started.set(seq, { startedEventId, timer });
  }

  cancel({ cancelTimer }: Command): void {
    const seq = Number(cancelTimer?.seq);
    const started = this.#started.get(seq);
    if (started === undefined) return;
    clearTimeout(started.timer);
    this.#started.delete(seq);
    this.#execution.add('EVENT_TYPE_TIMER_CANCELED', {
      timerCanceledEventAttributes: {
        timerId: String(seq),
        startedEventId: started.startedEventId as never,
        identity: 'simulation',
      },
    });
  }

  clear(): void {
    for (const { timer } of this.#started.values()) clearTimeout(timer);
    this.#started.clear();
  }
}
