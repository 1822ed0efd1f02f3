import { setImmediate } from 'node:timers/promises';

interface Entry<T> {
  source: AsyncGenerator<T>;
  asked: boolean;
  head: T | undefined;
  failure: { error: unknown } | undefined;
}

/**
 * Several sources read as one. From each, one item is asked for ahead. `complete`: an item is given only when each source has one or has
 * ended, so that the order is always the same.
 */
export function createPool<T extends { at: number }>({ complete }: { complete: boolean }) {
  const entries = new Map<AsyncGenerator<T>, Entry<T>>();
  let wake: () => void = () => undefined;

  return {
    add: (source: AsyncGenerator<T>) =>
      void entries.set(source, { source, asked: false, head: undefined, failure: undefined }),
    next,
    rest,
    /** Ends all sources; their pending requests must have ended before. */
    async close(): Promise<void> {
      await Promise.allSettled([...entries.keys()].map((source) => source.return(undefined)));
      entries.clear();
    },
  };

  /** The oldest available item, as soon as there is one; undefined when all sources have ended. Throws a source's error. */
  async function next(): Promise<T | undefined> {
    const isThere = () => {
      const all = [...entries.values()];
      const ready = all.filter(isReady);
      return complete ? ready.length === all.length : ready.length > 0;
    };
    while (entries.size > 0) {
      await until(isThere);
      // Events that other sources have at hand arrive within the same turn of the event loop, and may be older.
      await setImmediate();
      const oldest = [...entries.values()].filter(isReady).toSorted(byTime)[0];
      if (oldest !== undefined) return take(oldest);
    }
    return undefined;
  }

  /** All that is still to come of one source, which is then no more part of the pool. */
  async function* rest(source: AsyncGenerator<T>): AsyncGenerator<T> {
    const entry = entries.get(source);
    if (entry === undefined) return;
    for (;;) {
      await until(() => isReady(entry) || !entries.has(source));
      if (!isReady(entry)) return;
      yield take(entry);
    }
  }

  /** A promise that waits for days gets one reaction, not one for each look at it. */
  async function until(isThere: () => boolean): Promise<void> {
    for (;;) {
      for (const entry of entries.values()) ask(entry);
      if (entries.size === 0 || isThere()) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  function ask(entry: Entry<T>): void {
    if (entry.asked || isReady(entry)) return;
    entry.asked = true;
    const { source } = entry;
    source.next().then(
      (result) => {
        entry.asked = false;
        if (result.done === true) entries.delete(source);
        else entry.head = result.value;
        wake();
      },
      (error: unknown) => {
        entry.failure = { error };
        wake();
      },
    );
  }

  function take(entry: Entry<T>): T {
    const { head, failure } = entry;
    entry.head = undefined;
    if (head === undefined) throw failure?.error;
    return head;
  }
}

function isReady<T>({ head, failure }: Entry<T>): boolean {
  return head !== undefined || failure !== undefined;
}

/** A failure has no time, and goes first. */
function byTime<T extends { at: number }>(a: Entry<T>, b: Entry<T>): number {
  return (a.head?.at ?? 0) - (b.head?.at ?? 0);
}
