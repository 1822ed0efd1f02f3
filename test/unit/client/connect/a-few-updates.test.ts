import type { ConnectionLike } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { amongFew } from '../../../../client/connect/a-few-updates.ts';

/** Updates that end when the test says so. */
function updates() {
  const connection = {} as ConnectionLike; // a key
  const sent: string[] = [];
  const ends = new Map<string, { resolve: (what: string) => void; reject: (error: Error) => void }>();
  const send = (
    name: string,
    { workflow = 'run', signal }: { workflow?: string; signal?: AbortSignal } = {},
  ) =>
    amongFew(connection, workflow, signal, () => {
      sent.push(name);
      return new Promise<string>((resolve, reject) => ends.set(name, { resolve, reject }));
    });
  return { sent, send, end: (name: string) => ends.get(name) };
}

const EIGHT = ['0', '1', '2', '3', '4', '5', '6', '7'];

describe('updates of one workflow', () => {
  test('are eight at a time, the others in their order', async () => {
    const { sent, send, end } = updates();
    const all = [...EIGHT, '8', '9'].map((name) => send(name));
    expect(sent).toEqual(EIGHT);
    end('3')?.resolve('done');
    await expect(all[3]).resolves.toBe('done');
    await expect.poll(() => sent).toEqual([...EIGHT, '8']);
    end('8')?.resolve('done');
    await expect.poll(() => sent).toEqual([...EIGHT, '8', '9']);
  });

  test('do not hold up those of another one', () => {
    const { sent, send } = updates();
    for (const name of [...EIGHT, '8']) void send(name);
    void send('other', { workflow: 'another-run' });
    expect(sent).toEqual([...EIGHT, 'other']);
  });

  test('give their place to the next one when they fail', async () => {
    const { sent, send, end } = updates();
    const [first] = [...EIGHT, '8'].map((name) => send(name));
    end('0')?.reject(new Error('refused'));
    await expect(first).rejects.toThrow('refused');
    await expect.poll(() => sent).toEqual([...EIGHT, '8']);
  });

  test('are not sent when the time of their sender is over before their turn', async () => {
    const { sent, send, end } = updates();
    const all = EIGHT.map((name) => send(name));
    const over = new AbortController();
    const late = send('late', { signal: over.signal });
    void send('9');
    over.abort(new Error('over'));
    await expect(late).rejects.toThrow('over');
    end('0')?.resolve('done');
    await all[0];
    await expect.poll(() => sent).toEqual([...EIGHT, '9']);
  });
});
