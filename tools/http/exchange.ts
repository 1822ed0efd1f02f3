import { ServiceError } from './error.ts';

/** Without a connection nothing was sent. */
const NEVER_SENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']);

/** A response that was read to its end, or to the limit. */
export interface Answer {
  status: number;
  statusText: string;
  headers: Headers;
  text: string;
  /** The body went on after `maxBytes`. */
  cut: boolean;
}

export interface ExchangeOptions {
  signal: AbortSignal;
  /** Of the body, after decompression. */
  maxBytes: number;
  /** For messages: whom was asked, and where. */
  whom: string;
  /** No other server has answered before, and may have done something. */
  isFirst?: boolean | undefined;
}

/**
 * One request and its whole answer, of whatever status. Redirects are answers like any other, no proxy is used, nothing
 * is tried again. An abort rejects with the signal's reason; a connection that fails, with a ServiceError to be retried.
 */
export async function exchange(url: URL, init: RequestInit, options: ExchangeOptions): Promise<Answer> {
  const { signal, maxBytes, whom, isFirst = true } = options;
  try {
    const response = await fetch(url, { ...init, signal, redirect: 'manual' });
    const { status, statusText, headers } = response;
    return { status, statusText, headers, ...(await readUpTo(maxBytes, response)) };
  } catch (error) {
    signal.throwIfAborted();
    const reason = reasonOf(error);
    const message = `The connection to ${whom} failed (${reason}). Check the address, and that the server runs.`;
    throw new ServiceError('ToolConnectionError', message, {
      retryable: true,
      notDone: isFirst && NEVER_SENT.has(reason),
    });
  }
}

async function readUpTo(maxBytes: number, response: Response): Promise<Pick<Answer, 'text' | 'cut'>> {
  const decoder = decoderFor(response.headers.get('content-type') ?? '');
  let text = '';
  let room = maxBytes;
  // The web's type of a stream says nothing of its pieces; those of a body are bytes.
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece.subarray(0, room), { stream: true });
    room -= piece.byteLength;
    // Leaving the loop closes the connection.
    if (room < 0) return { text, cut: true };
  }
  return { text: text + decoder.decode(), cut: false };
}

/** By the charset that the answer names, if it is one. */
function decoderFor(contentType: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(/charset="?([^\s;"]+)/i.exec(contentType)?.[1]);
  } catch {
    return new TextDecoder();
  }
}

/** What happened to a connection; `fetch` hides it in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}
