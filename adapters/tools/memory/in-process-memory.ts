import { type MemoryEntry, type MemoryNamespace, type MemoryStore, bestMatches } from './memory-store.ts';

/** Memories in this process, which are lost with it. For tests. */
export function inProcessMemory(): MemoryStore {
  const namespaces = new Map<string, Map<string, MemoryEntry>>();
  const entriesOf = ({ tenant, scope }: MemoryNamespace) => {
    const name = JSON.stringify([tenant, scope]);
    const entries = namespaces.get(name) ?? new Map<string, MemoryEntry>();
    namespaces.set(name, entries);
    return entries;
  };
  return {
    async put(namespace, entry, max) {
      const entries = entriesOf(namespace);
      if (!entries.has(entry.key) && entries.size >= max) return false;
      entries.set(entry.key, entry);
      return true;
    },
    search: async (namespace, query, limit) => bestMatches([...entriesOf(namespace).values()], query, limit),
    async delete(namespace, key) {
      if (key === undefined) entriesOf(namespace).clear();
      else entriesOf(namespace).delete(key);
    },
    close: async () => undefined,
  };
}
