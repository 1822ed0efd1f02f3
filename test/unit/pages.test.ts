import type { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { readRun } from '../../history/read/pages.ts';
import { allOf } from '../support/all-of.ts';
import { grpcError } from '../support/grpc-error.ts';
import { historyClient } from '../support/history-client.ts';

type Request = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryRequest;

/** Reads a run of two pages with an event each; the server cannot send the first page whole. Returns events and requests. */
async function read(code: number) {
  const requests: string[] = [];
  const client = historyClient({
    async getWorkflowExecutionHistory({ nextPageToken, maximumPageSize: size }: Request) {
      const page = nextPageToken?.[0] ?? 0;
      requests.push(`page ${page} of ${size}`);
      if (page === 0 && size === 200) throw grpcError(code, 'too large');
      return { history: { events: [{ eventId: page }] }, nextPageToken: page === 0 && new Uint8Array([1]) };
    },
  });
  const events = await allOf(readRun(client, { workflowId: 'w', runId: 'r' }));
  return { requests, events: events.flat().map(({ eventId }) => eventId) };
}

test.each([
  ['takes too long', 4],
  ['is larger than gRPC takes', 8],
])('a page that %s is requested again, smaller', async (_, code) => {
  expect(await read(code)).toEqual({
    events: [0, 1],
    requests: ['page 0 of 200', 'page 0 of 25', 'page 1 of 25'],
  });
});

test('another error of a page is thrown', async () => {
  await expect(read(5)).rejects.toMatchObject({ code: 5 });
});
