import { type IncomingHttpHeaders, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen } from './listen.ts';

/** What the server got. */
export interface LoopbackRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface LoopbackAnswer {
  /** Default 200. */
  status?: number;
  headers?: { [name: string]: string };
  /** A text is sent as it is, anything else as JSON. */
  body?: unknown;
  /** Nothing is ever answered, or the connection breaks in the middle of the body. */
  fault?: 'hang' | 'break';
}

/** An HTTP server on the loopback interface that ends with the test. */
export async function loopback(
  answer: LoopbackAnswer | ((request: LoopbackRequest) => LoopbackAnswer),
): Promise<{ url: string; host: string; requests: LoopbackRequest[] }> {
  const requests: LoopbackRequest[] = [];
  const server = createServer((incoming, response) => {
    let body = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, path: url, headers, body };
      requests.push(request);
      send(typeof answer === 'function' ? answer(request) : answer, response);
    });
  });
  const host = await listen(server);
  return { url: `http://${host}`, host, requests };
}

function send(
  { status = 200, headers = {}, body = '', fault }: LoopbackAnswer,
  response: ServerResponse,
): void {
  if (fault === 'hang') return;
  const text = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  response.writeHead(
    status,
    fault === 'break' ? { ...headers, 'content-length': text.length + 10 } : headers,
  );
  if (fault === 'break') response.write(text, () => response.destroy());
  else response.end(text);
}

/** A host and port where nobody listens. */
export async function deadHost(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of a TCP server
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
}

/** What a call fails with. */
export function failureOf(call: unknown): Promise<unknown> {
  return Promise.resolve(call).then(
    (output) => new Error(`the call succeeded with ${JSON.stringify(output)}`),
    (reason: unknown) => reason,
  );
}
