import type { RunEvent } from '../../agent/run/events.ts';
import { possibleDecisions } from '../../agent/rules/waiting.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { ClientClosed } from '../connect/errors.ts';
import type { EventsOptions } from './follow-events.ts';

/** Whatever a Headers takes. */
type HeadersGiven = ConstructorParameters<typeof Headers>[0];

export interface ResponseOptions extends Omit<EventsOptions, 'follow' | 'onRequest' | 'kinds'> {
  /** Additional headers of the response. */
  headers?: HeadersGiven | undefined;
}

export interface EventSource {
  open: boolean;
  /** Throws where `after` is not an event of the run. */
  check(after: string | undefined): Promise<unknown>;
  events(options: EventsOptions): AsyncGenerator<RunEvent>;
  /** An event as the reader may see it. Default: as it is. */
  tell?: ((event: RunEvent) => RunEvent) | undefined;
}

/** A proxy that hears nothing for long takes the connection for dead. */
const HEARTBEAT_MS = 15_000;
const NO_CONTENT = 204;

/**
 * A run's events as server-sent events: `id` is the event's `eventId`, `event` its type, `data` the event as JSON, with
 * only the new part of a text, and with the possible decisions on a waiting call. A Request brings the `Last-Event-ID`
 * of a page that reconnects, and the end of its connection. A page that has seen all of an ended run gets 204, so that
 * it does not reconnect.
 */
export async function eventResponse(source: EventSource, from: ResponseOptions | Request): Promise<Response> {
  const { headers, signal, ...options } = isRequest(from) ? optionsOf(from) : from;
  await source.check(options.after);
  const left = new AbortController();
  const leave = () => left.abort();
  if (signal?.aborted === true) leave();
  signal?.addEventListener('abort', leave);
  const events = source.events({ ...options, signal: left.signal });
  const end = () => {
    signal?.removeEventListener('abort', leave);
    leave();
  };
  const first = source.open ? undefined : await events.next();
  if (first?.done === true) {
    end();
    return new Response(null, { status: NO_CONTENT, headers: new Headers(headers) });
  }
  return new Response(bodyOf(events, first?.value, { end, tell: source.tell }), {
    headers: streamHeaders(headers),
  });
}

/** Checks the shape: frameworks, polyfills and edge runtimes have their own classes. */
function isRequest(from: ResponseOptions | Request): from is Request {
  return 'method' in from && typeof fieldOf(from.headers, 'get') === 'function';
}

function optionsOf({
  headers,
  signal,
}: Request): Pick<EventsOptions, 'after' | 'signal'> & { headers?: undefined } {
  return { after: headers.get('last-event-id') || undefined, signal };
}

function streamHeaders(given: HeadersGiven | undefined): Headers {
  const headers = new Headers({ 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' });
  new Headers(given).forEach((value, name) => headers.set(name, value));
  headers.set('content-type', 'text/event-stream; charset=utf-8');
  return headers;
}

/** Asks for the next event only when the last has been sent. */
function bodyOf(
  events: AsyncGenerator<RunEvent>,
  first: RunEvent | undefined,
  { end, tell = (event) => event }: Pick<EventSource, 'tell'> & { end(): void },
): ReadableStream<Uint8Array> {
  const textOf = createMessages();
  const messageOf = (event: RunEvent) => textOf(tell(event));
  const bytes = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    clearInterval(timer);
    end();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // The first is for headers that would wait for a body.
      const beat = () => (controller.desiredSize ?? 0) > 0 && controller.enqueue(bytes.encode(':\n\n'));
      beat();
      timer = setInterval(beat, HEARTBEAT_MS).unref();
      if (first !== undefined) controller.enqueue(bytes.encode(messageOf(first)));
    },
    async pull(controller) {
      try {
        const next = await events.next();
        if (next.done !== true) return controller.enqueue(bytes.encode(messageOf(next.value)));
      } catch (error) {
        stop();
        // A page whose stream ends reconnects on its own, to a running server.
        if (!(error instanceof ClientClosed)) throw error;
      }
      stop();
      controller.close();
    },
    async cancel() {
      stop();
      await events.return(undefined);
    },
  });
}

/** A piece of text replaces everything from `offset` on, so that a page that reconnects shows nothing twice. */
function createMessages(): (event: RunEvent) => string {
  const written = new Map<string, { attempt: number; text: string }>();
  return (event) => {
    const { eventId, ...data } = event;
    const id = eventId === undefined ? '' : `id: ${eventId}\n`;
    return `${id}event: ${event.type}\ndata: ${JSON.stringify(bodyOfEvent(data))}\n\n`;
  };

  function bodyOfEvent(data: RunEvent): object {
    if (data.type === 'waiting') return { ...data, decisions: possibleDecisions(data.wait) };
    if (data.type !== 'model_text') return data;
    const { text, ...rest } = data;
    const key = `${data.within ?? ''} ${data.call}`;
    const before = written.get(key);
    written.set(key, { attempt: data.attempt, text });
    const offset = before?.attempt === data.attempt ? commonLength(before.text, text) : 0;
    return { ...rest, offset, delta: text.slice(offset) };
  }
}

function commonLength(a: string, b: string): number {
  if (b.startsWith(a)) return a.length;
  let length = 0;
  while (length < b.length && a[length] === b[length]) length++;
  return length;
}
