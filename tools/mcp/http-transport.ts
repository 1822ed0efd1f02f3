import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { limits } from '../../agent/values/limits.ts';
import type { McpEndpoint } from './server-spec.ts';

/** JSON-RPC's code for a connection that is gone, as the SDK uses it. */
const CONNECTION_CLOSED = -32_000;

/**
 * A server behind an address. Only answers to requests are read: the stream for a server's own messages would keep this
 * process alive. An answer that breaks off fails its request, which the SDK would wait for in vain. A request that is cancelled gives its
 * connection back, which the SDK would keep for as long as the server likes.
 */
export async function httpTransport({
  url,
  headers = {},
}: McpEndpoint): Promise<StreamableHTTPClientTransport> {
  const { StreamableHTTPClientTransport: HttpTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const underWay = new Map<unknown, AbortController>();
  const transport = new HttpTransport(new URL(url), {
    requestInit: { headers },
    fetch: async (target, init) => {
      const resumes = new Headers(init?.headers).has('last-event-id');
      if (init?.method === 'GET' && !resumes) return new Response(null, { status: 405 });
      const { id, method, params } = messageIn(init?.body);
      if (method === 'notifications/cancelled') underWay.get(params?.requestId)?.abort();
      if (id === undefined) return fetch(target, init);
      const cancelled = new AbortController();
      underWay.set(id, cancelled);
      const ended = () => underWay.delete(id);
      const signal = AbortSignal.any([cancelled.signal, ...(init?.signal ? [init.signal] : [])]);
      try {
        const answer = await fetch(target, { ...init, signal });
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
    const error = { code: CONNECTION_CLOSED, message: 'The answer broke off' };
    transport.onmessage?.({ jsonrpc: '2.0', id, error });
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
