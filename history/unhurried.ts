import { setTimeout as sleep } from 'node:timers/promises';
import { Overdue, type Pace } from './pages.ts';

/** A run that is over by then is read once, at its end. */
const FIRST_MS = 2000;
/** So much of the time that a run has taken is what at most is left to read at its end. */
const SHARE = 0.2;
/** For a page that was asked for before the end. */
const OVERDUE_MS = 1000;

/**
 * For who waits for a run's end and then wants to know all of it: what has been recorded is read while the run goes on, ever
 * more rarely, so that at its end little is left to read. To follow every event as it comes would cost the server a request for each.
 */
export function unhurried(over: Promise<unknown>): Pace {
  const began = performance.now();
  let isOver = false;
  let waitMs = FIRST_MS;
  const ended = over.then(() => {
    isOver = true;
  });
  const overdue = ended.then(async () => {
    await pause(OVERDUE_MS);
    throw new Overdue();
  });
  // Heard of where a page is asked for.
  overdue.catch(() => undefined);
  return {
    isOver: () => isOver,
    async next() {
      if (!isOver) await Promise.race([ended, pause(waitMs)]);
      waitMs = SHARE * (performance.now() - began);
    },
    orOverdue: (asked) => Promise.race([asked, overdue]),
  };
}

/** What waits for the run keeps the process alive. */
function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
