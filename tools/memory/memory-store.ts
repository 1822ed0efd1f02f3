/** The owner of some memories: `tenant` of the run, and the text of the option `scope`; each '' where there is none. */
export interface MemoryNamespace {
  tenant: string;
  scope: string;
}

export interface MemoryEntry {
  /** Unique in its namespace. */
  key: string;
  text: string;
  /** Milliseconds since 1970. */
  updatedAt: number;
}

/**
 * A place where memories survive runs. Several workers use it at a time. A method that throws is an attempt that failed: it is called
 * again, so each one has to be safe to repeat.
 */
export interface MemoryStore {
  /** Adds the entry, or replaces the one of its key. Resolves to false, and stores nothing, if the key is new and there are `max` entries. */
  put(namespace: MemoryNamespace, entry: MemoryEntry, max: number): Promise<boolean>;
  /** The entries that fit the query best, at most `limit`. An empty query: the latest ones. */
  search(namespace: MemoryNamespace, query: string, limit: number): Promise<MemoryEntry[]>;
  /** Removes the entry of a key, if there is one; without a key, all entries of the namespace. */
  delete(namespace: MemoryNamespace, key?: string): Promise<void>;
  /** Closes connections and files. A later call opens them again. */
  close(): Promise<void>;
}

/** The entries with the most words of the query in key and text; of those, the latest first. Cuts no word: `lamp` fits `lamps`. */
export function bestMatches(entries: readonly MemoryEntry[], query: string, limit: number): MemoryEntry[] {
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const scored = entries.map((entry) => {
    const text = `${entry.key} ${entry.text}`.toLowerCase();
    return { entry, score: [...words].filter((word) => text.includes(word)).length };
  });
  return scored
    .filter(({ score }) => score > 0 || words.size === 0)
    .toSorted((a, b) => b.score - a.score || b.entry.updatedAt - a.entry.updatedAt)
    .slice(0, limit)
    .map(({ entry }) => entry);
}
