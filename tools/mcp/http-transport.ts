import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { limits } from '../../agent/limits.ts';
import type { McpEndpoint } from './server-spec.ts';

/** JSON-RPC's code for a connection that is gone, as the SDK uses it. */
const CONNECTION_CLOSED = -32_000;

/**
 * A server behind an address. Only answers to requests are read: the stream for a server's own messages would keep this
 * process alive. An answer that breaks off fails its request, which the SDK would wait for in vain.
 */
export async function httpTransport({
  url,
  headers = {},
}: McpEndpoint): Promise<StreamableHTTPClientTransport> {
  const { StreamableHTTPClientTransport: HttpTransport } =
    await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const transport = new HttpTransport(new URL(url), {
    requestInit: { headers },
    fetch: async (target, init) => {
      const resumes = new Headers(init?.headers).has('last-event-id');
      if (init?.method === 'GET' && !resumes) return new Response(null, { status: 405 });
      const answer = await fetch(target, init);
      const id = requestId(init?.body);
      return id === undefined || answer.body === null
        ? answer
        : watched(answer, answer.body, () => broken(id));
    },
  });

  const broken = (id: string | number) => {
    const error = { code: CONNECTION_CLOSED, message: 'The answer broke off' };
    transport.onmessage?.({ jsonrpc: '2.0', id, error });
  };
  return transport;
}

/** Tells when the answer is over; whoever has read all of it by then has no use for that. */
function watched(answer: Response, body: ReadableStream<Uint8Array>, over: () => void): Response {
  const decoder = new TextDecoder();
  let resumable = false;
  let room: number = limits.responseBytes;
  const later = () => void (resumable || setTimeout(over));
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
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(copy, answer);
}

function requestId(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined;
  const { id } = JSON.parse(body) as { id?: string | number }; // written by the SDK
  return id;
}
