import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { limits } from '../../../agent/values/limits.ts';
import { fetchWithoutTimeout } from '../../net/fetch-without-timeout.ts';
import { CONNECTION_CLOSED } from './error.ts';
import { headersOfCall } from './call-under-way.ts';
import type { HeaderFields, McpEndpoint } from './server-spec.ts';
import { failedReply } from './unreadable-reply.ts';

/**
 * A server behind an address. Only answers to requests are read: the stream for a server's own messages would keep this
 * process alive. An answer that breaks off fails its request, which the SDK would wait for in vain. A request that is cancelled gives its
 * connection back, which the SDK would keep for as long as the server likes.
 */
export async function httpTransport({
  url,
  headers = {},
}: McpEndpoint): Promise<StreamableHTTPClientTransport> {
  const { StreamableHTTPClientTransport: HttpTransport } = await import('@modelcontextprotocol/client');
  const underWay = new Map<unknown, { cancelled: AbortController; own: HeaderFields }>();
  const headersOf = typeof headers === 'function' ? headers : () => headers;
  const transport = new HttpTransport(new URL(url), {
    fetch: async (target, given) => {
      const sent = new Headers(given?.headers);
      if (given?.method === 'GET' && !sent.has('last-event-id')) return new Response(null, { status: 405 });
      const { id, method, params } = messageIn(given?.body);
      const call = method === 'notifications/cancelled' ? underWay.get(params?.requestId) : undefined;
      call?.cancelled.abort();
      const own = call?.own ?? headersOfCall() ?? (await headersOf());
      for (const [name, value] of Object.entries(own)) if (!sent.has(name)) sent.set(name, value);
      const init = { ...given, headers: sent };
      if (id === undefined) return fetchWithoutTimeout(target, init);
      const cancelled = new AbortController();
      underWay.set(id, { cancelled, own });
      const ended = () => underWay.delete(id);
      const signal = AbortSignal.any([cancelled.signal, ...(init?.signal ? [init.signal] : [])]);
      try {
        const answer = await fetchWithoutTimeout(target, { ...init, signal });
        if (answer.body !== null) return watched(answer, answer.body, { ended, over: () => broken(id) });
        ended();
        return answer;
      } catch (error) {
        ended();
        throw error;
      }
    },
  });

  const broken = (id: string | number) => {
    transport.onmessage?.(
      failedReply(id, Object.assign(new Error('The answer broke off'), { code: CONNECTION_CLOSED })),
    );
  };
  return transport;
}

/**
 * Calls `ended` when no more is read, and `over` when no more can come; a reader that has read everything needs
 * neither.
 */
function watched(
  answer: Response,
  body: ReadableStream<Uint8Array>,
  { ended, over }: { ended(): void; over(): void },
): Response {
  const decoder = new TextDecoder();
  let resumable = false;
  let room: number = limits.responseBytes;
  const later = () => {
    ended();
    if (!resumable) setTimeout(over);
  };
  const reader = body.getReader();
  const copy = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        later();
        throw error;
      });
      if (done) {
        later();
        controller.close();
        return;
      }
      room -= value.byteLength;
      if (room < 0) {
        resumable = false; // it would be as long again
        later();
        await reader.cancel();
        controller.error(new Error(`The answer is longer than ${limits.responseBytes / 1e6} MB`));
        return;
      }
      // Events with ids can be asked for again, and the SDK does so.
      resumable ||= /^id:/mu.test(decoder.decode(value, { stream: true }));
      controller.enqueue(value);
    },
    cancel(reason) {
      ended();
      return reader.cancel(reason);
    },
  });
  return new Response(copy, answer);
}

interface Message {
  id?: string | number;
  method?: string;
  params?: { requestId?: unknown };
}

function messageIn(body: unknown): Message {
  return typeof body === 'string' ? (JSON.parse(body) as Message) : {}; // written by the SDK
}
