import { describe, expect, test } from 'vitest';
import type { MemoryEntry, MemoryStore } from '../../adapters/tools/memory/memory-store.ts';

/** The behaviour that all stores of memories share. `open`: a new, empty store. */
export function storeBehaviour(where: string, open: () => Promise<MemoryStore>): void {
  const ann = { tenant: 'acme', scope: 'ann' };
  const entry = (key: string, text: string, updatedAt = 1_795_000_000_000): MemoryEntry => ({
    key,
    text,
    updatedAt,
  });
  const opened = async (use: (store: MemoryStore) => Promise<void>) => {
    const store = await open();
    try {
      await use(store);
    } finally {
      await store.delete(ann);
      await store.close();
    }
  };

  describe(`a store ${where}`, () => {
    test('returns what was put, once, however often it was put', () =>
      opened(async (store) => {
        const saved = entry('größe', "likes 'lamps'; DROP TABLE ☂");
        for (let times = 0; times < 2; times++) expect(await store.put(ann, saved, 10)).toBe(true);
        await store.put(ann, { ...saved, text: 'new', updatedAt: saved.updatedAt + 1 }, 10);
        expect(await store.search(ann, '', 10)).toEqual([
          { ...saved, text: 'new', updatedAt: saved.updatedAt + 1 },
        ]);
      }));

    test('finds the entries with the most words first, then the latest', () =>
      opened(async (store) => {
        await store.put(ann, entry('a', 'blue lamps', 1), 10);
        await store.put(ann, entry('b', 'Blue sofas and lamps', 2), 10);
        await store.put(ann, entry('lamp shade', 'green', 3), 10);
        await store.put(ann, entry('d', 'nothing', 4), 10);
        const keys = async (query: string, limit = 10) =>
          (await store.search(ann, query, limit)).map(({ key }) => key);
        expect(await keys('BLUE lamp?')).toEqual(['b', 'a', 'lamp shade']);
        expect(await keys('')).toEqual(['d', 'lamp shade', 'b', 'a']);
        expect(await keys('', 2)).toEqual(['d', 'lamp shade']);
        expect(await keys('100%')).toEqual(['d', 'lamp shade', 'b', 'a']); // none fits: the latest
      }));

    test('keeps tenants and scopes apart, also in their names', () =>
      opened(async (store) => {
        await store.put(ann, entry('k', 'of ann'), 10);
        const others = [
          { tenant: 'acme', scope: 'bob' },
          { tenant: 'acme', scope: '' },
          { tenant: '', scope: 'ann' },
          { tenant: 'acmeann', scope: '' },
          { tenant: 'ann', scope: 'acme' },
        ];
        for (const other of others) {
          expect(await store.search(other, '', 10)).toEqual([]);
          await store.delete(other);
        }
        expect(await store.search(ann, '', 10)).toHaveLength(1);
      }));

    test('refuses a new key above the maximum, and takes a known one', () =>
      opened(async (store) => {
        for (const key of ['a', 'b']) expect(await store.put(ann, entry(key, 't'), 2)).toBe(true);
        expect(await store.put(ann, entry('c', 't'), 2)).toBe(false);
        expect(await store.put(ann, entry('a', 'new'), 2)).toBe(true);
        expect((await store.search(ann, '', 10)).map(({ key }) => key).toSorted()).toEqual(['a', 'b']);
      }));

    test('removes one entry, or all; removing again is no error', () =>
      opened(async (store) => {
        for (const key of ['a', 'b', 'c']) await store.put(ann, entry(key, 't'), 10);
        for (let times = 0; times < 2; times++) await store.delete(ann, 'a');
        expect(await store.search(ann, '', 10)).toHaveLength(2);
        for (let times = 0; times < 2; times++) await store.delete(ann);
        expect(await store.search(ann, '', 10)).toEqual([]);
      }));
  });
}
