/** The owner of some memories: `tenant` of the run, and the text of the option `scope`; each '' if absent. */
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

/**
 * The entries with the most words of the query in key and text; of those, the latest first; where none fits, the latest. Accents and
 * case do not count. Cuts no word (`lamp` fits `lamps`), but takes an ending off one (`invoices` fits `invoice`). In scripts without
 * spaces each pair of letters is a word.
 */
export function bestMatches(entries: readonly MemoryEntry[], query: string, limit: number): MemoryEntry[] {
  const words = new Set(
    folded(query)
      .match(/[\p{L}\p{N}]+/gu)
      ?.flatMap(partsOf),
  );
  const scored = entries.map((entry) => {
    const text = folded(`${entry.key} ${entry.text}`);
    return { entry, score: [...words].filter((word) => text.includes(word)).length };
  });
  const fitting = scored.filter(({ score }) => score > 0);
  return (fitting.length === 0 ? scored : fitting)
    .toSorted((a, b) => b.score - a.score || b.entry.updatedAt - a.entry.updatedAt)
    .slice(0, limit)
    .map(({ entry }) => entry);
}

function folded(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

function partsOf(word: string): string[] {
  const letters = Array.from(word);
  if (UNSPACED.test(word) && letters.length > 2) {
    return letters.slice(1).map((letter, at) => `${letters[at] ?? ''}${letter}`);
  }
  return letters.length > 4 ? [word.replace(/(?:en|es|s|n)$/u, '')] : [word];
}
