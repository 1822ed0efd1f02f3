import { earlyResult } from './early-result.ts';

/** A proxy takes a connection without data for dead. */
const HEARTBEAT_MS = 15_000;

/** Form of a body that is sent in pieces. `heartbeat`: sent at once, and while nothing else is: readers of the form leave it out. */
interface BodyForm {
  contentType: string;
  heartbeat: string;
}

/** A comment is left out. */
const EVENTS: BodyForm = { contentType: 'text/event-stream; charset=utf-8', heartbeat: ':\n\n' };
/** JSON may have white space in front. */
const JSON_TEXT: BodyForm = { contentType: 'application/json', heartbeat: ' ' };

/** One server-sent event. `data` without `event`: the event `message`. */
export function eventText(data: object | string, event?: string): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  return `${name}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}

type Texts = (signal: AbortSignal) => AsyncGenerator<string>;

/**
 * A response with server-sent events. Asks for the next text only when the last one has been sent. `texts` end with the signal, which comes
 * when the reader leaves or the request is over, and handle their errors: a thrown error breaks the connection.
 */
export function sseResponse(request: Request, textsUntil: Texts): Response {
  return sentInPieces(request, textsUntil, EVENTS);
}

/**
 * The same, held back until the first event is there, but not for longer than a silent response lives. Rejects with an error that comes
 * before: so the error has a status. `errorText`: the event of an error that comes later.
 */
export async function heldBackSse(
  request: Request,
  textsUntil: Texts,
  errorText: (error: unknown) => string,
  heldBackMs?: number,
): Promise<Response> {
  const left = new AbortController();
  const texts = textsUntil(AbortSignal.any([request.signal, left.signal]));
  const first = texts.next();
  await earlyResult(first, heldBackMs);
  return sseResponse(request, (signal) => {
    signal.addEventListener('abort', () => left.abort());
    return orErrorText(all(), errorText);
  });

  async function* all(): AsyncGenerator<string> {
    try {
      for (let next = await first; next.done !== true; next = await texts.next()) yield next.value;
    } finally {
      left.abort();
      await texts.return(undefined);
    }
  }
}

/** The texts of the stream. An error is sent as the last one. */
export async function* orErrorText(
  texts: AsyncGenerator<string>,
  errorText: (error: unknown) => string,
): AsyncGenerator<string> {
  try {
    yield* texts;
  } catch (error) {
    yield errorText(error);
  }
}

/** A response with one JSON value that comes later, with blanks in front of it. `leave` is called when the reader leaves. */
export function laterJson(request: Request, value: Promise<object>, leave: () => void): Response {
  const texts = async function* () {
    yield JSON.stringify(await value);
  };
  const textsUntil = (signal: AbortSignal) => {
    signal.addEventListener('abort', leave);
    return texts();
  };
  return sentInPieces(request, textsUntil, JSON_TEXT);
}

function sentInPieces(
  { signal: request }: Request,
  textsUntil: Texts,
  { contentType, heartbeat }: BodyForm,
): Response {
  const left = new AbortController();
  const texts = textsUntil(AbortSignal.any([request, left.signal]));
  const bytes = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const beat = () => (controller.desiredSize ?? 0) > 0 && controller.enqueue(bytes.encode(heartbeat));
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
      'content-type': contentType,
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}
