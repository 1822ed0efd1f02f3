import type { RunEvent, WaitingCall } from '../agent/events.ts';
import type { RunReport } from './report.ts';

/** Tells of each call that waits for a person, once. */
export interface WaitingTeller {
  next(event: RunEvent): void;
  /** Aborted with what the listener threw. */
  signal: AbortSignal;
}

/**
 * `readPast` gives the run's events so far to its argument: of the waits among them those are told that still are. What the
 * listener returns is not waited for, so that other calls go on waiting side by side.
 */
export async function createWaitingTeller(
  tell: (waiting: WaitingCall) => unknown,
  readPast: (onEvent: (event: RunEvent) => void) => Promise<RunReport>,
): Promise<WaitingTeller> {
  const over = new Set<string>();
  const { waiting } = await readPast((event) => {
    if (event.type === 'waiting') over.add(keyOf(event.park));
  });
  for (const park of waiting) over.delete(keyOf(park));
  const failed = new AbortController();
  return {
    signal: failed.signal,
    next(event) {
      if (event.type !== 'waiting' || over.has(keyOf(event.park))) return;
      Promise.resolve(event.park)
        .then(tell)
        .catch((error: unknown) => failed.abort(error));
    },
  };
}

function keyOf({ call, n }: WaitingCall): string {
  return `${call} ${n}`;
}
