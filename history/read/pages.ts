import { type Client, isGrpcServiceError } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { connectionEnd } from './connection-end.ts';

export interface RunRef {
  workflowId: string;
  runId: string;
}

export type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;
/** Temporal's number of the filter that lets through the event which closes a run. */
const CLOSE_EVENT = 2;

/**
 * A page of more than 4 MB does not fit into what a plain connection takes, and the SDK asks for it again for most of a minute.
 * So a page that is not waited for is given so long, and then asked for in smaller ones.
 */
const PAGE_MS = 4000;
const SMALLER_TIMES = 8;

export interface ReadOptions {
  /** Go on with the events to come until the run is closed. */
  follow?: boolean;
  /** With `follow`: when the next page is requested. Default: immediately (long poll). */
  schedule?: PageSchedule | undefined;
  /** Only the event that closes the run. */
  endOnly?: boolean;
  /** From the end: who reads so looks for what has just happened. */
  latestFirst?: boolean;
  /** Transactions that are asked for at a time. */
  pageSize?: number;
  /** Ends what is being asked for, which may last until the run goes on. */
  signal?: AbortSignal | undefined;
}

/** The recorded events of one run in the client's namespace, page by page. Reads the server's record: no worker is asked. */
export function readRun(
  client: Client,
  run: RunRef,
  {
    follow = false,
    schedule,
    endOnly = false,
    latestFirst = false,
    pageSize = latestFirst ? 20 : 200,
    signal,
  }: ReadOptions = {},
): AsyncGenerator<readonly HistoryEvent[]> {
  const service = client.workflowService;
  return readPages<HistoryEvent>(
    async (token, size) => {
      const request = {
        namespace: client.options.namespace,
        execution: run,
        maximumPageSize: size,
        ...(token === undefined ? {} : { nextPageToken: token }),
      };
      const ask = () =>
        latestFirst
          ? service.getWorkflowExecutionHistoryReverse(request)
          : service.getWorkflowExecutionHistory({
              ...request,
              waitNewEvent: follow,
              ...(endOnly ? { historyEventFilterType: CLOSE_EVENT } : {}),
            });
      const requested = (waits: boolean) =>
        abortable(client, signal, () =>
          waits || size === 1 ? ask() : client.withDeadline(Date.now() + PAGE_MS, ask),
        );
      const page = await (schedule === undefined ? requested(follow) : schedule(requested));
      return { events: page.history?.events ?? [], next: page.nextPageToken };
    },
    (error) =>
      error instanceof PageTimeout || [RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED].includes(grpcCode(error) ?? 0),
    { pageSize, ahead: (!follow || schedule !== undefined) && !latestFirst && pageSize > 1 },
  );
}

/**
 * Requests a page when it is time to; `waits`: the run is open, so the server may hold the request until something happens. Rejects
 * with {@link PageTimeout}, or with why the run cannot be waited for.
 */
export type PageSchedule = <T>(request: (waits: boolean) => Promise<T>) => Promise<T>;

/** A page has not come some time after the run's end: it may be too large, so a smaller one is requested. */
export class PageTimeout extends Error {
  override name = 'PageTimeout';
}

/**
 * Ends what is asked for when `signal` is aborted, or the connection is about to be closed. The SDK listens to a call's signal for ever:
 * each call gets one of its own, and leaves no listener on the others.
 */
export async function abortable<T>(
  client: Client,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  const signals = [connectionEnd(client).signal, ...(signal === undefined ? [] : [signal])];
  const own = new AbortController();
  const abort = () => own.abort();
  for (const each of signals) {
    each.throwIfAborted();
    each.addEventListener('abort', abort);
  }
  try {
    return await client.withAbortSignal(own.signal, call);
  } finally {
    for (const each of signals) each.removeEventListener('abort', abort);
  }
}

export function isNotFound(error: unknown): boolean {
  return grpcCode(error) === NOT_FOUND;
}

/** Temporal's word that there is no workflow of that id, or that it is over. */
export function isNoWorkflow(error: unknown): error is Error {
  return error instanceof Error && (isNotFound(error) || error.name === 'WorkflowNotFoundError');
}

/** Temporal's word on a request that it does not understand: an attribute it does not know, a page of another list. */
export function isInvalidArgument(error: unknown): boolean {
  return grpcCode(error) === INVALID_ARGUMENT;
}

function grpcCode(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}

/** One page of a history: events oldest first (or latest first, where asked so), and where to go on. */
export interface Page<E> {
  events: E[];
  next: Uint8Array | undefined;
}

/** Asks for a page of `size` transactions (not events: a transaction can hold many). */
export type FetchPage<E> = (token: Uint8Array | undefined, size: number) => Promise<Page<E>>;

/**
 * All events, page by page: an event of its own would be a promise or ten for each. A page whose bytes exceed what a
 * connection takes is asked for again at an eighth of the size; `tooLarge` tells that error from others. `ahead`: while a page
 * is being read, the next one is on its way.
 */
export async function* readPages<E>(
  fetch: FetchPage<E>,
  tooLarge: (error: unknown) => boolean,
  { pageSize = 200, ahead = false }: { pageSize?: number; ahead?: boolean } = {},
): AsyncGenerator<readonly E[]> {
  let size = pageSize;
  const ask = async (token: Uint8Array | undefined): Promise<Page<E>> => {
    for (;;) {
      try {
        return await fetch(token, size);
      } catch (error) {
        if (!tooLarge(error) || size === 1) throw error;
        size = Math.ceil(size / SMALLER_TIMES);
      }
    }
  };
  let page = await ask(undefined);
  while (page.next !== undefined && page.next.length > 0) {
    const { next, events } = page;
    const asked = ahead ? ask(next) : undefined;
    // Who has read enough asks for no more, and nobody hears of its failure.
    asked?.catch(() => undefined);
    yield events;
    page = await (asked ?? ask(next));
  }
  yield page.events;
}
