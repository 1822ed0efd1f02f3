import { setImmediate } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { follow } from '../../../../cli/follow/follow.ts';
import { AgentRun } from '../../../../client/api/agent-run.ts';
import { type FactPage, readFactPages } from '../../../../history/read/facts.ts';
import { readRunPages } from '../../../../history/read/lineage.ts';
import { type Page, type RunRef, abortable, readPages, readRun } from '../../../../history/read/pages.ts';
import { allOf } from '../../../support/all-of.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { offlineContext } from '../../../support/offline-context.ts';
import { historyClient } from '../../../support/history-client.ts';
import { ServiceError } from '../../../simulation/service-error.ts';
import { recordedHistories } from '../../../support/recorded-histories.ts';

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

  test.each([
    ['takes longer than the time-out', 4],
    ['is larger than gRPC takes', 8],
  ])('is one that %s', async (_, code) => {
    const sizes: number[] = [];
    const client = historyClient({
      async getWorkflowExecutionHistory({ maximumPageSize }: Request) {
        sizes.push(maximumPageSize);
        if (maximumPageSize === 200) throw new ServiceError(code, 'too large');
        return { history: { events: [{ eventId: 1 }] } };
      },
    });
    expect(await allOf(readRun(client, { workflowId: 'w', runId: 'r' }))).toEqual([[{ eventId: 1 }]]);
    expect(sizes).toEqual([200, 25]);
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
  return (await allOf(readPages(fetch, tooLarge))).flat();
}

interface Request {
  maximumPageSize: number;
  nextPageToken?: Uint8Array;
  historyEventFilterType?: number;
}

const recorded = new Map(recordedHistories().map((one) => [one.name, one]));
const PAGE = 10;
/** Temporal's number of the filter that lets through the event which closes a run. */
const CLOSE_EVENT = 2;

/**
 * A closed run on a server that gives its history in pages of ten events. `requested`: those pages. Requests for one event, the
 * first or the closing one, are not among them.
 */
function servedRun(name: string) {
  const { run, history } = recorded.get(name) ?? {};
  if (run === undefined) throw new Error(`There is no recorded history "${name}".`);
  const events = history?.events ?? [];
  const pages = Math.ceil(events.length / PAGE);
  const requested: number[] = [];
  const service = {
    async getWorkflowExecutionHistory(request: Request) {
      if (request.historyEventFilterType === CLOSE_EVENT) return { history: { events: events.slice(-1) } };
      if (request.maximumPageSize === 1) return { history: { events: events.slice(0, 1) } };
      const page = request.nextPageToken?.[0] ?? 0;
      requested.push(page);
      return {
        history: { events: events.slice(page * PAGE, (page + 1) * PAGE) },
        nextPageToken: page + 1 < pages ? new Uint8Array([page + 1]) : undefined,
      };
    },
  };
  const ids = { runId: run.runId, type: 'agentRun', taskQueue: 'reloop', raw: {} };
  const description = { ...ids, status: { name: 'COMPLETED' }, historyLength: events.length };
  const workflow = { getHandle: () => ({ describe: () => Promise.resolve(description) }) };
  const client = Object.assign(historyClient(service), { workflow });
  const allPages = Array.from({ length: pages }, (_, page) => page);
  return { run: new AgentRun(client, run.workflowId), client, allPages, requested };
}

/** As `reloop watch` does. */
function watch(run: AgentRun, client: Client): Promise<unknown> {
  const context = offlineContext(client);
  return follow(fakeIo(), context, run, { untilWaiting: false, onInterrupt: 'leave', flags: [] });
}

describe.each(['parallel', 'retry'])('each page of the history "%s" is requested once', (name) => {
  test.each<[string, (run: AgentRun, client: Client) => Promise<unknown>]>([
    ['reloop watch', watch],
    ['describe()', (run) => run.describe()],
    ['events()', (run) => allOf(run.events())],
    ['requests()', (run) => allOf(run.requests())],
    ['result()', (run) => run.result()],
    ['export()', (run) => run.export()],
    ['export({ prompts })', (run) => run.export({ prompts: true })],
    ['result({ onWaiting })', (run) => run.result({ onWaiting: () => undefined })],
  ])('by %s', async (_, read) => {
    const { run, client, allPages, requested } = servedRun(name);
    await read(run, client);
    expect(allPages.length).toBeGreaterThan(1);
    expect(requested).toEqual(allPages);
  });
});

test('a history may end with an empty page: the run that continues it is read all the same', async () => {
  const [first, second] = [recorded.get('continued'), recorded.get('continued-2')];
  if (first === undefined || second === undefined) throw new Error('There is no history of a continued run.');
  const client = historyClient({
    async getWorkflowExecutionHistory({ execution, nextPageToken }: Request & { execution: RunRef }) {
      if (nextPageToken !== undefined) return { history: { events: [] } };
      const { history } = execution.runId === first.run.runId ? first : second;
      return { history, nextPageToken: new Uint8Array([1]) };
    },
  });
  const pages = await allOf(readRunPages(client, first.run, { follow: true }));
  expect(new Set(pages.map(({ run }) => run.runId))).toEqual(new Set([first.run.runId, second.run.runId]));
});

test('the facts of a page are dropped when the reader asks for the next page', async () => {
  const { run, history } = recorded.get('continued') ?? {};
  if (run === undefined) throw new Error('There is no history of a continued run.');
  const client = historyClient({
    getWorkflowExecutionHistory: async ({ nextPageToken }: Request) =>
      nextPageToken === undefined ? { history, nextPageToken: new Uint8Array([1]) } : {},
  });
  const pages = readFactPages(client, run, { follow: true });
  const { value } = (await pages.next()) as { value: FactPage }; // it has two pages
  expect(value.facts[0]?.type).toBe('started');
  await pages.next();
  expect([value.facts, history?.events?.[0]?.eventId]).toEqual([[], expect.anything()]);
});

test.each<[what: string, calls: number, listeners: number]>([
  ['20 calls at once over one client', 20, 1],
  ['a call of 20 requests', 1, 20],
])('%s: no warning of a leak', async (_, calls, listeners) => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on('warning', listen);
  const withAbortSignal = (signal: AbortSignal, call: () => Promise<unknown>) => {
    // The SDK never removes the listener of a request.
    for (let n = 0; n < listeners; n++) signal.addEventListener('abort', () => n);
    return call();
  };
  const client = Object.assign(historyClient({}), { withAbortSignal });
  await Promise.all(Array.from({ length: calls }, () => abortable(client, undefined, () => setImmediate())));
  process.off('warning', listen);
  expect(warnings).toEqual([]);
});
