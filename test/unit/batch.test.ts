import { describe, expect, test } from 'vitest';
import { type BatchInput, type BatchOptions, runBatch } from '../../client/api/batch.ts';
import { InvalidInput } from '../../client/connect/errors.ts';
import { createPool } from '../../client/read/pool.ts';
import type { RunResultWithSteps } from '../../client/report.ts';
import type { StartOptions } from '../../client/start/start-options.ts';
import { allOf } from '../support/all-of.ts';

interface Asked {
  input: string;
  options: StartOptions;
}

/** A client that answers `re: INPUT` when the test lets it, fails for "bad", and counts what is under way. */
function fakeClient() {
  const asked: Asked[] = [];
  const waiting: (() => void)[] = [];
  let open = 0;
  let most = 0;
  return {
    asked,
    mostOpen: () => most,
    finish: (index: number) => waiting[index]?.(),
    async run(_agent: string, input: string, options: StartOptions): Promise<RunResultWithSteps> {
      asked.push({ input, options });
      most = Math.max(most, ++open);
      await new Promise<void>((resolve) => waiting.push(resolve));
      open--;
      if (input === 'bad') throw new Error('the run failed');
      const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0, modelCalls: 1 };
      const ended = { stopReason: 'final_answer', iterations: 1, usage } as const;
      return { output: `re: ${input}`, intermediateSteps: [], ...ended };
    },
  };
}

/** A batch whose runs end as they come, the later of those under way first. */
async function batch(inputs: BatchInput[], options?: BatchOptions) {
  const client = fakeClient();
  const results = runBatch(client, 'a', inputs, options);
  for (let ended = 0; ended < client.asked.length; await new Promise((resolve) => setImmediate(resolve))) {
    const { length } = client.asked;
    for (let index = length - 1; index >= ended; index--) client.finish(index);
    ended = length;
  }
  const outputs = (await results).map((result) =>
    result.status === 'fulfilled' ? result.value.output : String(result.reason),
  );
  return { outputs, asked: client.asked, mostOpen: client.mostOpen() };
}

describe('a batch', () => {
  test('has its results in the order of the inputs, in whatever order the runs end', async () => {
    const { outputs } = await batch(['one', 'two', 'three'], { concurrency: 3 });
    expect(outputs).toEqual(['re: one', 're: two', 're: three']);
  });

  test.each([
    [9, undefined, 4],
    [3, 1, 1],
    [5, 2, 2],
    [2, 8, 2],
  ])('with %i runs at concurrency %s has %i under way', async (length, concurrency, most) => {
    const inputs = Array.from({ length }, (_, index) => `q${index}`);
    const { outputs, mostOpen } = await batch(inputs, concurrency === undefined ? {} : { concurrency });
    expect(mostOpen).toBe(most);
    expect(outputs).toEqual(inputs.map((input) => `re: ${input}`));
  });

  test('goes on after a run that failed, which is a rejection in its place', async () => {
    const { outputs } = await batch(['one', 'bad', 'three'], { concurrency: 1 });
    expect(outputs).toEqual(['re: one', 'Error: the run failed', 're: three']);
  });

  test('without inputs has no results and starts nothing', async () => {
    expect(await batch([])).toEqual({ outputs: [], asked: [], mostOpen: 0 });
  });

  test('numbers its runs from 1 after its own id', async () => {
    const { asked } = await batch(['one', 'two'], { id: 'nightly' });
    expect(asked.map(({ options }) => options.id)).toEqual(['nightly-1', 'nightly-2']);
  });

  test('hands its start options to every run; those of an input win', async () => {
    const own = { input: 'two', id: 'mine', maxIterations: 1 };
    const { asked } = await batch(['one', own], { id: 'b', model: 'm', maxIterations: 7, concurrency: 1 });
    expect(asked).toEqual([
      { input: 'one', options: { id: 'b-1', model: 'm', maxIterations: 7 } },
      { input: 'two', options: { id: 'mine', model: 'm', maxIterations: 1 } },
    ]);
  });

  test.each([0, -1, 1.5, Number.NaN])(
    'refuses a concurrency of %s and starts nothing',
    async (concurrency) => {
      const client = fakeClient();
      await expect(runBatch(client, 'a', ['one'], { concurrency })).rejects.toThrow(InvalidInput);
      expect(client.asked).toEqual([]);
    },
  );
});

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
