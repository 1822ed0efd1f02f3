import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { AgentClient } from '../../../../client/api/agent-client.ts';
import { TemporalUnreachable } from '../../../../client/connect/errors.ts';
import {
  type WaitingChange,
  type WaitingFeed,
  createWaitingFeed,
} from '../../../../gateway/waiting/waiting-feed.ts';
import { atSeconds, decides, started, waits } from '../../../support/run-events.ts';

/** Runs that wait, as the server lists them and as their histories have them. */
interface Waiting {
  id: string;
  /** The waits in the list. */
  listed: object[];
  problem?: Error;
}

/** A client over these runs. `asked`: the prefixes of all lists, and the ids of all histories that were read. */
function clientOver(waiting: Waiting[]) {
  const asked: string[] = [];
  const client = {
    temporal: { options: { namespace: 'default' } },
    async listPage({ idPrefix = '' }: { idPrefix?: string }) {
      asked.push(`list ${idPrefix}`);
      const runs = waiting
        .filter(({ id }) => id.startsWith(idPrefix))
        .map(({ id, listed }) => ({
          id,
          runId: 'r',
          agent: 'a',
          input: 'q',
          startedAt: new Date(0),
          waiting: listed,
        }));
      return { runs, nextPage: null };
    },
    get: (id: string) => ({
      async *events() {
        asked.push(id);
        const found = waiting.find((one) => one.id === id);
        if (found?.problem !== undefined) throw found.problem;
        const made = [...decides('1', 'pay', 'x'), ...waits('1.1', 'pay', 'x')];
        yield* atSeconds(started, ...made);
      },
    }),
  };
  return { client: client as unknown as AgentClient, asked }; // what the feed uses
}

/** Reads changes until one of this type. */
async function readTo(type: WaitingChange['type'], changes: AsyncGenerator<WaitingChange>) {
  const read: WaitingChange[] = [];
  for (;;) {
    const { value, done } = await changes.next();
    if (done === true) throw new Error('The changes ended.');
    read.push(value);
    if (value.type === type) return read;
  }
}

const names = (changes: WaitingChange[]) =>
  changes.map((change) => (change.type === 'waiting' ? change.run.id : change.type));
const endless = new AbortController().signal;
const feedOver = (client: AgentClient): WaitingFeed =>
  createWaitingFeed(client, { pollMs: 5, webUi: 'http://ui' });

describe('the feed of what waits', () => {
  test('brings each run with its calls, the decisions that fit, and its page in the Web UI', async () => {
    const { client } = clientOver([{ id: 'a/1', listed: [{}] }]);
    const [first] = await readTo('caught_up', feedOver(client).changes('', endless));
    expect(first).toMatchObject({
      run: {
        id: 'a/1',
        url: 'http://ui/namespaces/default/workflows/a%2F1',
        calls: [
          {
            call: '1.1',
            since: expect.any(Number),
            decisions: [{ type: 'retry' }, { type: 'resolve' }, { type: 'skip' }, { type: 'abort' }],
          },
        ],
      },
    });
  });

  test('brings changes, and reads a history only where the list has changed', async () => {
    const waiting = [
      { id: 'a', listed: [{ since: 1 }] },
      { id: 'b', listed: [{ since: 1 }] },
    ];
    const { client, asked } = clientOver(waiting);
    const changes = feedOver(client).changes('', endless);
    expect(names(await readTo('caught_up', changes))).toEqual(['a', 'b', 'caught_up']);
    waiting.push({ id: 'c', listed: [{ since: 2 }] });
    expect(names(await readTo('waiting', changes))).toEqual(['c']);
    waiting.shift();
    expect(await readTo('over', changes)).toEqual([{ type: 'over', id: 'a' }]);
    expect(asked.filter((one) => !one.startsWith('list'))).toEqual(['a', 'b', 'c']);
  });

  test('asks once for all readers of a prefix, and no more when they have left', async () => {
    const { client, asked } = clientOver([
      { id: 't.a', listed: [{}] },
      { id: 'u.a', listed: [{}] },
    ]);
    const feed = feedOver(client);
    const readers = Array.from({ length: 50 }, () => new AbortController());
    const streams = readers.map(({ signal }) => feed.changes('t.', signal));
    for (const stream of streams)
      expect(names(await readTo('caught_up', stream))).toEqual(['t.a', 'caught_up']);
    const early = asked.filter((one) => one === 't.a').length;
    expect([early, asked.includes('u.a')]).toEqual([1, false]);
    readers.forEach((reader) => reader.abort());
    for (const stream of streams) await expect(stream.next()).rejects.toThrow('abort');
    const asking = async () => {
      const before = asked.length;
      await sleep(50);
      return asked.length - before;
    };
    await expect.poll(asking).toBe(0);
  });

  test('shows a run that cannot be read, and ends when Temporal cannot be asked', async () => {
    const unreadable = Object.assign(new Error('The key k is missing.'), { name: 'EncryptionKeyMissing' });
    const waiting: Waiting[] = [{ id: 'a', listed: [{}], problem: unreadable }];
    const { client } = clientOver(waiting);
    const changes = feedOver(client).changes('', endless);
    expect(await readTo('caught_up', changes)).toMatchObject([
      { run: { id: 'a', calls: [], problem: 'The key k is missing.' } },
      { type: 'caught_up' },
    ]);
    waiting.push({ id: 'b', listed: [{}], problem: new TemporalUnreachable('no') });
    await expect(changes.next()).rejects.toThrow(TemporalUnreachable);
    waiting.pop();
    expect(names(await readTo('caught_up', feedOver(client).changes('', endless)))).toEqual([
      'a',
      'caught_up',
    ]);
  });
});
