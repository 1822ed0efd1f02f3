import { syncBuiltinESMExports } from 'node:module';
import FakeTimers from '@sinonjs/fake-timers';

const realImmediate = setImmediate;

/** The simulation takes more steps than any run needs: something goes round in circles. */
class Endless extends Error {
  override name = 'Endless';
}

/** Nothing is left that could happen, and the simulation is not over. */
class Stuck extends Error {
  override name = 'Stuck';
}

/** Time at which each simulation begins. */
export const START = Date.parse('2027-01-01T00:00:00Z');
const CALM_AFTER_MS = 4 * 60_000;
const MOST_TIMERS = 400_000;
const MOST_TURNS = 20_000;

/**
 * Runs `work` on a virtual clock with seeded random numbers. Between two timers everything settles that waits for no timer. Throws
 * Stuck, Endless, or the error of `work`.
 */
export async function onVirtualTime<T>(random: () => number, work: () => Promise<T>): Promise<T> {
  const realRandom = Math.random;
  const clock = FakeTimers.install({
    now: START,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  syncBuiltinESMExports();
  Math.random = random;
  try {
    let end: { value: T } | { error: unknown } | undefined;
    work().then(
      (value) => (end = { value }),
      (error: unknown) => (end = { error }),
    );
    for (let timers = 0, idleTurns = 0; ;) {
      await settled();
      if (end !== undefined) break;
      if (clock.countTimers() > 0) {
        if (++timers > MOST_TIMERS) throw new Endless(`still going after ${MOST_TIMERS} timers`);
        idleTurns = 0;
        clock.next();
      } else if (++idleTurns > MOST_TURNS) {
        throw new Stuck('nothing is left that could happen'); // not even an import of a module is under way
      }
    }
    if ('error' in end) throw end.error;
    return end.value;
  } finally {
    Math.random = realRandom;
    clock.uninstall();
    syncBuiltinESMExports();
  }
}

/** Whether people only answer by now, and nothing fails any more: every run must come to an end. */
export const isCalm = (): boolean => Date.now() - START > CALM_AFTER_MS;

/** Resolves after this virtual time. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

let pending = 0;

/** Keeps the clock still while `work` is under way, which takes turns of the real event loop. */
export async function clockStill<T>(work: () => Promise<T>): Promise<T> {
  pending++;
  try {
    return await work();
  } finally {
    pending--;
  }
}

const isPending = () => pending > 0;

/** Resolves when nothing is left that can go on without a timer. */
async function settled(): Promise<void> {
  do await new Promise<void>((resolve) => realImmediate(resolve));
  while (isPending());
}
