import { expect, test } from 'vitest';
import { createPool } from '../../../../client/read/pool.ts';
import { allOf } from '../../../support/all-of.ts';

interface Item {
  at: number;
  said?: string;
}

async function* of(...items: (Item | Promise<Item>)[]): AsyncGenerator<Item> {
  for (const item of items) yield await item;
}

/** An item that comes when it is told to. */
function later() {
  let arrive: (item: Item) => void = () => undefined;
  const item = new Promise<Item>((resolve) => (arrive = resolve));
  return { item, arrive };
}

async function times(pool: { next(): Promise<Item | undefined> }): Promise<number[]> {
  const seen: number[] = [];
  for (let item = await pool.next(); item !== undefined; item = await pool.next()) seen.push(item.at);
  return seen;
}

test.each([true, false])(
  'events that several sources have come by their time (complete: %s)',
  async (complete) => {
    const pool = createPool<Item>({ complete });
    pool.add(of({ at: 1 }, { at: 4 }, { at: 5 }));
    pool.add(of({ at: 2 }, { at: 3 }, { at: 6 }));
    expect(await times(pool)).toEqual([1, 2, 3, 4, 5, 6]);
  },
);

test('nobody waits for a source that has nothing, but where the order must always be the same', async () => {
  const [slow, late] = [later(), later()];
  const eager = createPool<Item>({ complete: false });
  eager.add(of(slow.item));
  eager.add(of({ at: 2 }));
  expect(await eager.next()).toEqual({ at: 2 });
  slow.arrive({ at: 1 });
  expect(await times(eager)).toEqual([1]);

  const complete = createPool<Item>({ complete: true });
  complete.add(of(late.item));
  complete.add(of({ at: 2 }));
  const all = times(complete);
  late.arrive({ at: 1 });
  expect(await all).toEqual([1, 2]);
});

test('the rest of one source can be had before all others', async () => {
  const pool = createPool<Item>({ complete: false });
  const [one, other] = [of({ at: 5 }, { at: 6 }), of({ at: 1 }, { at: 2 })];
  pool.add(one);
  pool.add(other);
  expect(await pool.next()).toEqual({ at: 1 });
  expect(await allOf(pool.rest(one))).toEqual([{ at: 5 }, { at: 6 }]);
  expect(await times(pool)).toEqual([2]);
});

test('an error of a source is thrown when the reader comes to it, and closing ends the other sources', async () => {
  let ended = false;
  async function* endless(): AsyncGenerator<Item> {
    try {
      for (let at = 1; ; at++) yield { at };
    } finally {
      ended = true;
    }
  }
  async function* fails(): AsyncGenerator<Item> {
    yield { at: 2 };
    throw new Error('gone');
  }
  const pool = createPool<Item>({ complete: false });
  pool.add(endless());
  pool.add(fails());
  await expect(times(pool)).rejects.toThrow('gone');
  await pool.close();
  expect(ended).toBe(true);
});

test('one reaction is added to what a source is asked for, however long it takes and whatever comes meanwhile', async () => {
  let reactions = 0;
  let arrive: (result: IteratorResult<Item>) => void = () => undefined;
  const pending = new Promise<IteratorResult<Item>>((resolve) => (arrive = resolve));
  const spied = Object.assign(pending, {
    // oxlint-disable-next-line unicorn/no-thenable -- counts who waits
    then: (...args: Parameters<typeof pending.then>) => {
      reactions++;
      return Promise.prototype.then.apply(pending, args);
    },
  });
  const pool = createPool<Item>({ complete: false });
  pool.add(Object.assign(of(), { next: () => spied }));
  pool.add(of(...Array.from({ length: 50 }, (_, at) => ({ at }))));
  for (let at = 0; at < 50; at++) expect(await pool.next()).toEqual({ at });
  expect(reactions).toBe(1);
  arrive({ done: true, value: undefined });
  expect(await pool.next()).toBeUndefined();
});
