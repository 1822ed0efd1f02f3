import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { readFacts } from './facts.ts';
import { nextAfter } from './lineage.ts';
import { type PageSchedule, PageTimeout, type ReadOptions, type RunRef } from './pages.ts';

/** Reads the record of a run until its end. */
type ReadRecord<R> = (
  options: Required<Pick<ReadOptions, 'schedule' | 'signal'>> & { follow: true; run: RunRef },
) => Promise<R>;

/**
 * Resolves to the result of `read` when the run is closed. All requests end before the promise settles, so that the caller may close
 * the client.
 */
export async function readAtClose<R>(client: Client, run: RunRef, read: ReadRecord<R>): Promise<R> {
  const stop = new AbortController();
  const { signal } = stop;
  const closed = untilClosed(client, run, signal);
  try {
    const end = await read({ follow: true, run, schedule: backgroundPoll(closed), signal });
    await closed;
    return end;
  } finally {
    stop.abort();
  }
}

/**
 * Resolves when a run and every run that continues it are closed. Requests only the closing event, so the cost does not depend on the
 * number of events.
 */
async function untilClosed(client: Client, run: RunRef, signal: AbortSignal): Promise<void> {
  for (let current: RunRef | undefined = run; current !== undefined;) {
    let next: RunRef | undefined;
    for await (const fact of readFacts(client, current, { follow: true, endOnly: true, signal }))
      next = nextAfter(current, fact);
    current = next;
  }
}

/** A run that is closed within this time is read once, at its end. */
const FIRST_MS = 5000;
/** Pause between two polls, as a share of the time since the start. At most half of the record is unread at the end of the run. */
const SHARE = 1;
/** After the end, time that a page may still take that was requested before the end. */
const TIMEOUT_MS = 1000;

/**
 * Polls the record with back-off until the run is closed, so that half of it is read at the end. A long poll would cost the server a
 * request for each event. `firstMs`: time until the first poll.
 */
export function backgroundPoll(closed: Promise<unknown>, firstMs = FIRST_MS): PageSchedule {
  const began = performance.now();
  let isClosed = false;
  let waitMs = firstMs;
  const ended = closed.then(() => {
    isClosed = true;
  });
  const timeout = ended.then(async () => {
    await pause(TIMEOUT_MS);
    throw new PageTimeout();
  });
  // The next page request throws it.
  timeout.catch(() => undefined);
  return async (request) => {
    if (!isClosed) await Promise.race([ended, pause(waitMs)]);
    waitMs = SHARE * (performance.now() - began);
    return isClosed ? request(false) : Promise.race([request(true), timeout]);
  };
}

/** Waits without keeping the process alive: the wait for the run does that. */
function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
