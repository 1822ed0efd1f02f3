import { setTimeout as sleep } from 'node:timers/promises';
import type { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { readRun } from '../../history/pages.ts';
import { unhurried } from '../../history/unhurried.ts';
import { historyClient } from '../support/history-client.ts';

type Request = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryRequest;

const run = { workflowId: 'w', runId: 'r' };

/** Reads a run of `pages` events, one a page, that is over after so long; what was asked for, and whether the run was over. */
async function read(
  pages: number,
  overAfterMs: number,
  answer: (page: number, size: number) => Promise<void>,
) {
  let isOver = false;
  const asked: { page: number; isOver: boolean; size: number }[] = [];
  const over = sleep(overAfterMs).then(() => (isOver = true));
  const client = historyClient({
    async getWorkflowExecutionHistory({ nextPageToken, maximumPageSize }: Request) {
      const page = nextPageToken?.[0] ?? 0;
      const size = maximumPageSize ?? 0;
      asked.push({ page, isOver, size });
      await answer(page, size);
      const next = page + 1 < pages ? new Uint8Array([page + 1]) : undefined;
      return { history: { events: [{ eventId: page }] }, nextPageToken: next };
    },
  });
  const read: unknown[] = [];
  for await (const events of readRun(client, run, { follow: true, pace: unhurried(over) }))
    read.push(...events.map(({ eventId }) => eventId));
  return { asked, read };
}

test('a run that is soon over is read when it is', async () => {
  const { asked, read: events } = await read(3, 100, async () => undefined);
  expect(events).toEqual([0, 1, 2]);
  expect(asked.map(({ isOver }) => isOver)).toEqual([true, true, true]);
});

test('of one that goes on what has come is read meanwhile', async () => {
  const { asked, read: events } = await read(3, 2_600, async () => undefined);
  expect(events).toEqual([0, 1, 2]);
  expect(asked[0]?.isOver).toBe(false);
  expect(asked.at(-1)?.isOver).toBe(true);
});

test('a page that does not come is asked for again, smaller, when the run is over', async () => {
  const { asked, read: events } = await read(2, 2_200, (page, size) =>
    page === 0 && size === 200 ? new Promise<void>(() => undefined) : Promise.resolve(),
  );
  expect(events).toEqual([0, 1]);
  expect(asked.map(({ page, size }) => [page, size])).toEqual([
    [0, 200],
    [0, 25],
    [1, 25],
  ]);
});

test('why a run cannot be waited for is thrown', async () => {
  const client = historyClient({});
  const pace = unhurried(Promise.reject(new Error('no such run')));
  const reading = (async () => {
    for await (const _ of readRun(client, run, { follow: true, pace }));
  })();
  await expect(reading).rejects.toThrow('no such run');
});
