import { describe, expect, test } from 'vitest';
import { type Page, readPages } from '../../history/pages.ts';

class TooLarge extends Error {}

const tooLarge = (error: unknown) => error instanceof TooLarge;

describe('pages', () => {
  test('are read one after another until there is no next one', async () => {
    const { fetch, asked } = source([['a', 'b'], ['c'], ['d']]);
    expect(await all(fetch)).toEqual(['a', 'b', 'c', 'd']);
    expect(asked).toEqual([200, 200, 200]);
  });

  test('may be empty in between', async () => {
    const { fetch } = source([[], ['a'], [], ['b'], []]);
    expect(await all(fetch)).toEqual(['a', 'b']);
  });

  test('end with an empty token too', async () => {
    const fetch = async (token: Uint8Array | undefined): Promise<Page<string>> => {
      if (token !== undefined) throw new Error('asked for a page behind the last one');
      return { events: ['a'], next: new Uint8Array() };
    };
    expect(await all(fetch)).toEqual(['a']);
  });

  test('are fetched only when they are wanted', async () => {
    const { fetch, asked } = source([['a', 'b'], ['c']]);
    for await (const events of readPages(fetch, tooLarge)) if (events.includes('b')) break;
    expect(asked).toHaveLength(1);
  });

  test('are fetched while the one before is read, where that is wanted; who stops early hears of no failure', async () => {
    const { fetch, asked } = source([['a'], ['b'], ['c'], ['d']], (page) => page === 3);
    const read: string[] = [];
    for await (const events of readPages(fetch, tooLarge, { pageSize: 1, ahead: true })) {
      read.push(...events, String(asked.length));
      if (events.includes('c')) break;
    }
    expect(read).toEqual(['a', '2', 'b', '3', 'c', '4']);
  });
});

describe('a page that is too large', () => {
  test('is asked for again at an eighth of the size until it fits; nothing is lost or read twice', async () => {
    const { fetch, asked } = source([['a'], ['b'], ['c']], (page, size) => page === 1 && size > 30);
    expect(await all(fetch)).toEqual(['a', 'b', 'c']);
    expect(asked).toEqual([200, 200, 25, 25]);
  });

  test('fails when a single transaction is too large', async () => {
    const { fetch, asked } = source([['a']], () => true);
    await expect(all(fetch)).rejects.toThrow(TooLarge);
    expect(asked).toEqual([200, 25, 4, 1]);
  });

  test('is told from other errors, which end the reading at once', async () => {
    const fetch = () => Promise.reject(new Error('no connection'));
    await expect(all(fetch)).rejects.toThrow('no connection');
  });
});

/** A history of pages, and the sizes it was asked for. */
function source(pages: string[][], isTooLarge: (page: number, size: number) => boolean = () => false) {
  const asked: number[] = [];
  const fetch = async (token: Uint8Array | undefined, size: number): Promise<Page<string>> => {
    asked.push(size);
    const page = token?.[0] ?? 0;
    if (isTooLarge(page, size)) throw new TooLarge();
    const next = page + 1 < pages.length ? new Uint8Array([page + 1]) : undefined;
    return { events: pages[page] ?? [], next };
  };
  return { fetch, asked };
}

async function all(fetch: Parameters<typeof readPages<string>>[0]): Promise<string[]> {
  const events: string[] = [];
  for await (const page of readPages(fetch, tooLarge)) events.push(...page);
  return events;
}
