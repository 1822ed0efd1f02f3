import { expect, test } from 'vitest';
import { withPauses } from '../../client/paced.ts';

test('one reaction is added to a pending item, however many pauses go by', async () => {
  let reactions = 0;
  let deliver: (result: IteratorResult<string>) => void = () => undefined;
  const pending = new Promise<IteratorResult<string>>((resolve) => (deliver = resolve));
  const spied = Object.assign(pending, {
    // oxlint-disable-next-line unicorn/no-thenable -- counts who waits
    then: (...args: Parameters<typeof pending.then>) => {
      reactions++;
      return Promise.prototype.then.apply(pending, args);
    },
  });
  const items = withPauses(() => spied, 1);
  for (let pause = 0; pause < 5; pause++) expect((await items.next()).value).toBeUndefined();
  deliver({ done: false, value: 'late' });
  let value: string | undefined;
  while (value === undefined) value = (await items.next()).value as string | undefined; // never done
  expect({ value, reactions }).toEqual({ value: 'late', reactions: 1 });
});

test('items come in order, the end ends, and an error is thrown', async () => {
  const results: IteratorResult<number, undefined>[] = [
    { done: false, value: 1 },
    { done: false, value: 2 },
    { done: true, value: undefined },
  ];
  const seen: (number | undefined)[] = [];
  for await (const item of withPauses(() => Promise.resolve(results.shift() ?? { done: true, value: 0 }), 50))
    seen.push(item);
  expect(seen.filter((item) => item !== undefined)).toEqual([1, 2]);
  await expect(withPauses(() => Promise.reject(new Error('gone')), 50).next()).rejects.toThrow('gone');
});
