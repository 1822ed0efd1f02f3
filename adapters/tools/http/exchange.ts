import { connectionProblem, firstText, wasNeverSent } from '../../../agent/values/http-exchange.ts';
import { fetchWithoutTimeout } from '../../net/fetch-without-timeout.ts';
import { ServiceError } from './error.ts';

/** A response that was read to its end, or to the limit. */
export interface HttpReply {
  status: number;
  statusText: string;
  headers: Headers;
  text: string;
  /** The body continued after `maxBytes`. */
  cut: boolean;
}

export interface ExchangeOptions {
  signal: AbortSignal;
  /** Limit for the body, after decompression. */
  maxBytes: number;
  /** The service and its address, for messages. */
  whom: string;
  /** No other server has answered before, and may have done something. */
  isFirst?: boolean | undefined;
}

/**
 * One request and its whole answer, of whatever status. Redirects are answers like any other, no proxy is used, nothing
 * is tried again. An abort rejects with the signal's reason; a connection that fails, with a ServiceError to be retried.
 */
export async function exchange(url: URL, init: RequestInit, options: ExchangeOptions): Promise<HttpReply> {
  const { signal, maxBytes, whom, isFirst = true } = options;
  try {
    const response = await fetchWithoutTimeout(url, { ...init, signal, redirect: 'manual' });
    const { status, statusText, headers, body } = response;
    const decoder = decoderFor(headers.get('content-type') ?? '');
    return { status, statusText, headers, ...(await firstText(body, maxBytes, decoder)) };
  } catch (error) {
    signal.throwIfAborted();
    const reason = connectionProblem(error);
    const message = `The connection to ${whom} failed (${reason}). Check the address, and that the server runs.`;
    throw new ServiceError('ToolConnectionError', message, {
      retryable: true,
      notDone: isFirst && wasNeverSent(reason),
    });
  }
}

/** Decoder for the charset that the answer names; UTF-8 for an unknown one. */
function decoderFor(contentType: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(/charset="?([^\s;"]+)/i.exec(contentType)?.[1]);
  } catch {
    return new TextDecoder();
  }
}
