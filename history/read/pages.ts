import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
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
/** Temporal's number of the filter for the event that closes a run. */
const CLOSE_EVENT = 2;

/**
 * Time-out of a page request that is not a long poll. gRPC refuses a page of more than 4 MB, and the SDK repeats the request for most of
 * a minute. After the time-out a page of an eighth of the size is requested.
 */
const PAGE_MS = 4000;
const SMALLER_TIMES = 8;

export interface ReadOptions {
  /** Continue with new events until the run is closed. */
  follow?: boolean;
  /** Read only the event that closes the run. */
  endOnly?: boolean;
  /** Read from the end, to find recent events quickly. */
  latestFirst?: boolean;
  /** Transactions per page. */
  pageSize?: number;
  /** Ends the request. A long poll may otherwise last until the run's next event. */
  signal?: AbortSignal | undefined;
}

/** Reads the recorded events of one run in the client's namespace, page by page. Needs no worker. The reader may empty a page. */
export function readRun(
  client: Client,
  run: RunRef,
  {
    follow = false,
    endOnly = false,
    latestFirst = false,
    pageSize = latestFirst ? 20 : 200,
    signal,
  }: ReadOptions = {},
): AsyncGenerator<HistoryEvent[]> {
  const pages = () => readOnce(client, run, { follow, endOnly, latestFirst, pageSize, signal });
  return follow ? followPauses(client, run, pages, signal) : pages();
}

/**
 * Follows a run over Temporal's own pauses. The server answers the long poll for a paused workflow at once and without a token, as if
 * the run had ended (seen with Temporal 1.32.0). Then the history is read again when it has grown or the pause is over.
 */
async function* followPauses(
  client: Client,
  run: RunRef,
  pages: () => AsyncGenerator<HistoryEvent[]>,
  signal: AbortSignal | undefined,
): AsyncGenerator<HistoryEvent[]> {
  for (let lastId = 0; ;) {
    let isClosed = false;
    for await (const page of pages()) {
      const events = lastId === 0 ? page : page.filter(({ eventId }) => Number(eventId) > lastId);
      isClosed ||= events.some((event) => isOneOf(ENDS, event));
      // A workflow task that is not durable yet may lose its id to another event.
      const durable = events.findLast((event) => !isOneOf(WORKFLOW_TASK, event));
      if (durable !== undefined) lastId = Number(durable.eventId);
      yield events;
    }
    if (isClosed || !(await pauseIsOver(client, run, signal))) return;
  }
}

function readOnce(
  client: Client,
  run: RunRef,
  { follow, endOnly, latestFirst, pageSize, signal }: Required<Omit<ReadOptions, 'signal'>> & ReadOptions,
): AsyncGenerator<HistoryEvent[]> {
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
      const page = await abortable(client, signal, () =>
        follow || size === 1 ? ask() : client.withDeadline(Date.now() + PAGE_MS, ask),
      );
      // Copies: the reader may empty the list, and the token is a part of the response's buffer, which it would keep.
      return {
        events: [...(page.history?.events ?? [])],
        next: page.nextPageToken && new Uint8Array(page.nextPageToken),
      };
    },
    (error) => [RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED].includes(grpcCode(error) ?? 0),
    { pageSize, ahead: !follow && !latestFirst && pageSize > 1 },
  );
}

/**
 * Ends a request when `signal` is aborted, or before the connection is closed. The SDK never removes its listener from a request's
 * signal, so each request gets a separate signal.
 */
export async function abortable<T>(
  client: Client,
  signal: AbortSignal | undefined,
  call: () => Promise<T>,
): Promise<T> {
  const signals = [connectionEnd(client).signal, ...(signal === undefined ? [] : [signal])];
  const own = new AbortController();
  // A call may send many requests: without this, Node warns of a leak.
  setMaxListeners(0, own.signal);
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

/** Pause between two looks at a paused run. */
const PAUSED_POLL_MS = 1000;

/** Resolves when a paused run has a new event or is not paused any more; to false where the run is not paused. */
async function pauseIsOver(client: Client, run: RunRef, signal: AbortSignal | undefined): Promise<boolean> {
  const look = async () => {
    const { workflowExecutionInfo: info } = await abortable(client, signal, () =>
      client.workflowService.describeWorkflowExecution({
        namespace: client.options.namespace,
        execution: run,
      }),
    );
    return { isPaused: Number(info?.status) === PAUSED, events: String(info?.historyLength ?? 0) };
  };
  const before = await look();
  if (!before.isPaused) return false;
  for (;;) {
    await sleep(PAUSED_POLL_MS, undefined, signal && { signal });
    const now = await look();
    if (!now.isPaused || now.events !== before.events) return true;
  }
}

/** Temporal's number of the status of a workflow that `temporal workflow pause` has paused. Servers know it from 1.30 on. */
const PAUSED = 8;

/** Temporal's numbers of the events after which a run has no other: completed, failed, timed out, cancelled, terminated, continued as new. */
const ENDS = [2, 3, 4, 21, 27, 28];
/** Temporal's numbers of a scheduled and of a started workflow task. */
const WORKFLOW_TASK = [5, 6];

function isOneOf(numbers: readonly number[], { eventType }: HistoryEvent): boolean {
  return numbers.includes(Number(eventType));
}

/** Returns true for Temporal's error that there is no workflow with that id, or that it is closed. */
export function isNoWorkflow(error: unknown): error is Error {
  return error instanceof Error && (isNotFound(error) || error.name === 'WorkflowNotFoundError');
}

/** Returns true for Temporal's error about an invalid request, such as an unknown search attribute or a page of another list. */
export function isInvalidArgument(error: unknown): boolean {
  return grpcCode(error) === INVALID_ARGUMENT;
}

/** Status code of a gRPC error. */
export function grpcCode(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}

/** Status code of a gRPC error, also of one that Temporal's client has wrapped. */
export function wrappedGrpcCode(error: unknown): number | undefined {
  return grpcCode(error) ?? (error instanceof Error ? wrappedGrpcCode(error.cause) : undefined);
}

/** One page of a history, and the token of the next page. Events are in the order of the request. */
export interface Page<E> {
  events: E[];
  next: Uint8Array | undefined;
}

/** Requests a page of `size` transactions. A transaction can have many events. */
export type FetchPage<E> = (token: Uint8Array | undefined, size: number) => Promise<Page<E>>;

/**
 * Yields all events, page by page: yielding single events would cost promises for each. If `tooLarge` returns true for the error of a
 * page, a page of an eighth of the size is requested. `ahead`: requests the next page while the reader reads the current one.
 */
export async function* readPages<E>(
  fetch: FetchPage<E>,
  tooLarge: (error: unknown) => boolean,
  { pageSize = 200, ahead = false }: { pageSize?: number; ahead?: boolean } = {},
): AsyncGenerator<E[]> {
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
    const requested = ahead ? ask(next) : undefined;
    // The reader may stop early, and then nothing handles a failure of this request.
    requested?.catch(() => undefined);
    yield events;
    page = await (requested ?? ask(next));
  }
  yield page.events;
}
