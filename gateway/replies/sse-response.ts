/** A proxy takes a connection without data for dead. */
const HEARTBEAT_MS = 15_000;
/** A comment, which readers of the stream leave out. */
const HEARTBEAT = ':\n\n';

/** One server-sent event. `data` without `event`: the event `message`. */
export function eventText(data: object | string, event?: string): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

/**
 * A response with server-sent events. Asks for the next text only when the last one has been sent. `texts` end with the signal, which comes
 * when the reader leaves or the request is over, and handle their errors: a thrown error breaks the connection.
 */
export function sseResponse(
  { signal: request }: Request,
  textsUntil: (signal: AbortSignal) => AsyncGenerator<string>,
): Response {
  const left = new AbortController();
  const texts = textsUntil(AbortSignal.any([request, left.signal]));
  const bytes = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const beat = () => (controller.desiredSize ?? 0) > 0 && controller.enqueue(bytes.encode(HEARTBEAT));
      beat(); // headers may wait for a body
      timer = setInterval(beat, HEARTBEAT_MS).unref();
    },
    async pull(controller) {
      const next = await texts.next();
      if (next.done !== true) return controller.enqueue(bytes.encode(next.value));
      clearInterval(timer);
      controller.close();
    },
    async cancel() {
      clearInterval(timer);
      left.abort();
      await texts.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}
