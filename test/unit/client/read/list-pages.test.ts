import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { expect, test } from 'vitest';
import { listPages, listRuns } from '../../../../client/read/list-runs.ts';

/** A server with failed runs, 100 on a page, that knows nothing but lists, and answers so many pages. `asked`: its queries. */
function serverWith(runs: number, pages = Infinity): { client: Client; asked: string[] } {
  const asked: string[] = [];
  const all = Array.from({ length: runs }, (_, index) => ({
    execution: { workflowId: `run-${index}`, runId: `r${index}` },
    status: 3,
    closeTime: msToTs(2000),
  }));
  const workflowService = {
    listWorkflowExecutions: (request: { query: string; nextPageToken: Uint8Array }) => {
      asked.push(request.query);
      const ids = /^WorkflowId IN \((?<ids>.*)\)$/u.exec(request.query)?.groups?.['ids'];
      if (ids !== undefined) {
        const executions = all.filter(({ execution }) => ids.includes(`"${execution.workflowId}"`));
        return Promise.resolve({ executions, nextPageToken: new Uint8Array() });
      }
      const from = request.nextPageToken[0] ?? 0;
      if (from >= pages) return new Promise(() => undefined);
      const next = (from + 1) * 100 < runs ? [from + 1] : [];
      const executions = all.slice(from * 100, (from + 1) * 100);
      return Promise.resolve({ executions, nextPageToken: new Uint8Array(next) });
    },
  };
  // The client has only the requests of a list: a description of a run would throw.
  return { client: { options: { namespace: 'default' }, workflowService } as unknown as Client, asked };
}

test('a page of the list is there before the server has read the next one, which it reads meanwhile', async () => {
  const { client, asked } = serverWith(250, 1);
  for await (const { runs } of listPages(client)) {
    expect(runs).toHaveLength(100);
    break;
  }
  expect(asked).toHaveLength(3);
});

test('a list with a limit reads the next page only if it has not enough', async () => {
  const { client, asked } = serverWith(250);
  for await (const run of listRuns(client, { limit: 100 })) expect(run.id).toMatch(/^run-/u);
  expect(asked).toHaveLength(2);
});

test('a list of closed runs asks two times for a hundred of them, and for none alone', async () => {
  const { client, asked } = serverWith(250);
  const ids: string[] = [];
  for await (const { runs } of listPages(client)) ids.push(...runs.map(({ id }) => id));
  expect(ids).toEqual(Array.from({ length: 250 }, (_, index) => `run-${index}`));
  expect(asked).toHaveLength(6);
});
