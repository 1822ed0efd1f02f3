import { CancellationScope, sleep } from '@temporalio/workflow';

/** How long a timer without an end of its own runs before it is set again. */
const ENDLESS_MS = 365 * 24 * 3_600_000;

/** A timer whose summary stands on the Web UI's timeline for as long as what it tells of. */
export interface RecordedTimer {
  /** The time there was has passed. */
  readonly over: boolean;
  end(): void;
}

/** `timeoutMs` left out: it runs until it is ended. */
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
    .catch(() => undefined); // cancelled, as it is meant to be
  return timer;
}
