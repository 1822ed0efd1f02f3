import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { readFacts } from './facts.ts';
import { nextAfter } from './lineage.ts';
import { type PageSchedule, PageTimeout, type ReadOptions, type RunRef } from './pages.ts';

/** Reads the record of a run, for a reader that only wants its end. */
type ReadRecord<R> = (
  options: Required<Pick<ReadOptions, 'schedule' | 'signal'>> & { follow: true; run: RunRef },
) => Promise<R>;

/**
 * Resolves to what `read` makes of a run that is closed. When there is an end, or reading fails, all requests end: the client may
 * be closed then.
 */
export async function readAtClose<R>(client: Client, run: RunRef, read: ReadRecord<R>): Promise<R> {
  const left = new AbortController();
  const { signal } = left;
  const closed = untilClosed(client, run, signal);
  try {
    const end = await read({ follow: true, run, schedule: backgroundPoll(closed), signal });
    await closed;
    return end;
  } finally {
    left.abort();
  }
}

/**
 * Resolves when a run is closed, and so is every run that continues or replaces it. Requests nothing but the closing event, so
 * that it costs the same however much happens until then.
 */
async function untilClosed(client: Client, run: RunRef, signal: AbortSignal): Promise<void> {
  for (let current: RunRef | undefined = run; current !== undefined;) {
    let next: RunRef | undefined;
    for await (const fact of readFacts(client, current, { follow: true, endOnly: true, signal }))
      next = nextAfter(current, fact);
    current = next;
  }
}

/** A run that is closed by then is read once, at its end. */
const FIRST_MS = 2000;
/** At most this share of the time that a run has taken is left to read at its end. */
const SHARE = 0.2;
/** For a page that was requested before the end. */
const TIMEOUT_MS = 1000;

/**
 * Polls with back-off until the run is closed: its record is read in the background, ever more rarely, so that little is left to
 * read at the end. A long poll would cost the server a request for each event.
 */
export function backgroundPoll(closed: Promise<unknown>): PageSchedule {
  const began = performance.now();
  let isClosed = false;
  let waitMs = FIRST_MS;
  const ended = closed.then(() => {
    isClosed = true;
  });
  const timeout = ended.then(async () => {
    await pause(TIMEOUT_MS);
    throw new PageTimeout();
  });
  // Thrown to whoever requests a page.
  timeout.catch(() => undefined);
  return async (request) => {
    if (!isClosed) await Promise.race([ended, pause(waitMs)]);
    waitMs = SHARE * (performance.now() - began);
    return isClosed ? request(false) : Promise.race([request(true), timeout]);
  };
}

/** Does not keep the process alive: the wait for the run does. */
function pause(ms: number): Promise<void> {
  return sleep(ms, undefined, { ref: false });
}
