import { expect, test } from 'vitest';
import { createBatches } from '../../../../activities/limits/entry-batches.ts';

/** Messages that a test answers, in their order. */
function heldMessages() {
  const messages: { entries: string[]; answer: (answers: string[]) => void; fail: (error: Error) => void }[] =
    [];
  const send = (entries: string[]) =>
    new Promise<string[]>((resolve, reject) => {
      messages.push({ entries, answer: resolve, fail: reject });
    });
  return { messages, send };
}

test('entries that come while a message is under way are the next message, and each has its answer', async () => {
  const { messages, send } = heldMessages();
  const batch = createBatches(send, 10);
  const answers = ['a', 'b', 'c'].map((entry) => batch(entry));
  expect(messages.map(({ entries }) => entries)).toEqual([['a']]);
  messages[0]?.answer(['A']);
  await expect.poll(() => messages.length).toBe(2);
  expect(messages[1]?.entries).toEqual(['b', 'c']);
  messages[1]?.answer(['B', 'C']);
  expect(await Promise.all(answers)).toEqual(['A', 'B', 'C']);
});

test('a message has no more entries than it may have', async () => {
  const { messages, send } = heldMessages();
  const batch = createBatches(send, 2);
  const answers = ['a', 'b', 'c', 'd'].map((entry) => batch(entry));
  messages[0]?.answer(['A']);
  await expect.poll(() => messages.length).toBe(2);
  messages[1]?.answer(['B', 'C']);
  await expect.poll(() => messages.length).toBe(3);
  messages[2]?.answer(['D']);
  expect(await Promise.all(answers)).toEqual(['A', 'B', 'C', 'D']);
  expect(messages.map(({ entries }) => entries)).toEqual([['a'], ['b', 'c'], ['d']]);
});

test('the entries of a message that fails are rejected, and the next message is sent', async () => {
  const { messages, send } = heldMessages();
  const batch = createBatches(send, 10);
  const first = batch('a').catch((error: unknown) => error);
  const second = batch('b');
  messages[0]?.fail(new Error('away'));
  await expect.poll(() => messages.length).toBe(2);
  messages[1]?.answer(['B']);
  expect([await first, await second]).toEqual([new Error('away'), 'B']);
});
