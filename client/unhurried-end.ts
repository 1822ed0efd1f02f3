import type { Client } from '@temporalio/client';
import { untilOver } from '../history/lineage.ts';
import type { Pace, RunRef } from '../history/pages.ts';
import { unhurried } from '../history/unhurried.ts';

/** How a run's record is read by who only wants what it came to. */
interface Reading {
  follow: true;
  run: RunRef;
  pace: Pace;
  signal: AbortSignal;
}

/**
 * What `read` makes of a run that is over. Nothing is asked for any more when there is an end, or when reading fails: the client may
 * be closed then.
 */
export async function unhurriedEnd<R>(
  client: Client,
  run: RunRef,
  read: (how: Reading) => Promise<R>,
): Promise<R> {
  const left = new AbortController();
  const { signal } = left;
  const over = untilOver(client, run, signal);
  try {
    const end = await read({ follow: true, run, pace: unhurried(over), signal });
    await over;
    return end;
  } finally {
    left.abort();
  }
}
