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
  const past = createKeys();
  const { waiting } = await readPast((event) => {
    const key = past.next(event);
    if (key !== undefined) over.add(key);
  });
  for (const park of waiting) over.delete(past.keyOf(park));
  const failed = new AbortController();
  const keys = createKeys();
  return {
    signal: failed.signal,
    next(event) {
      const key = keys.next(event);
      if (event.type !== 'waiting' || key === undefined || over.has(key)) return;
      Promise.resolve(event.park)
        .then(tell)
        .catch((error: unknown) => failed.abort(error));
    },
  };
}

/** Tells waits apart: where a run begins again, it numbers those of a call anew. */
function createKeys() {
  let restarts = 0;
  const keyOf = ({ call, n }: WaitingCall) => `${restarts} ${call} ${n}`;
  return {
    keyOf,
    /** undefined: the event is no wait. */
    next(event: RunEvent): string | undefined {
      if (event.type === 'restarted') restarts++;
      return event.type === 'waiting' ? keyOf(event.park) : undefined;
    },
  };
}
