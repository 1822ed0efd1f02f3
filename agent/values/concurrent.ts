/** Uses every item, at most `atOnce` at the same time; results in the order of the items. Rejects with the first error. */
export async function aFewAtATime<T, R>(
  items: readonly T[],
  atOnce: number,
  use: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const work = async () => {
    // One iterator for all workers: each takes the next free item.
    for (const [index, item] of queue) results[index] = await use(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}

/** Resolves as `promise` does. Rejects with the reason of `signal` as soon as the signal aborts, and calls `onAbort` then. */
export function orAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  onAbort: () => void = () => undefined,
): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      onAbort();
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
