import { CancellationScope, sleep } from '@temporalio/workflow';

/** Length of a timer without a time-out. It is set again when it fires. */
const ENDLESS_MS = 365 * 24 * 3_600_000;

/** A timer that records a state of the run. The Web UI shows its summary on the timeline until `end()` is called. */
export interface RecordedTimer {
  /** The time-out has passed. */
  readonly over: boolean;
  end(): void;
}

/** Starts a timer. Without `timeoutMs` it runs until `end()` is called. */
export function recordTimer(summary: string, timeoutMs?: number): RecordedTimer {
  const scope = new CancellationScope();
  const timer = { over: false, end: () => scope.cancel() };
  scope
    .run(async () => {
      while (!timer.over) {
        await sleep(timeoutMs ?? ENDLESS_MS, { summary });
        timer.over = timeoutMs !== undefined;
      }
    })
    .catch(() => undefined); // end() cancels the scope
  return timer;
}
