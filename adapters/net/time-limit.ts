import { setMaxListeners } from 'node:events';

/**
 * Gives `work` a signal that comes with `outer`, or after `ms` with a TimeoutError as its reason. Resolves and rejects as `work` does.
 *
 * `AbortSignal.any` with an `AbortSignal.timeout` does not do that in Node 20: nothing holds either of the two, and a garbage collection
 * takes the timer along. Here the running timer holds the signal.
 */
export async function withTimeLimit<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limited = new AbortController();
  const end = () => limited.abort(outer?.reason);
  const over = () => limited.abort(new DOMException(`There was no end within ${ms} ms`, 'TimeoutError'));
  if (outer?.aborted === true) end();
  // Node warns of a leak from the 11th listener on, and a turn may have dozens of calls.
  if (outer !== undefined) setMaxListeners(0, outer);
  outer?.addEventListener('abort', end);
  const timer = setTimeout(over, ms);
  try {
    return await work(limited.signal);
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', end);
  }
}
