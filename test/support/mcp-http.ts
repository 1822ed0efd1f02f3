import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import { expect } from 'vitest';
import { connectionProblem } from '../../agent/values/http-exchange.ts';
import { listen } from './listen.ts';
import { StreamableHTTPServerTransport, testServer } from './mcp-server.ts';

export interface McpHttpServer {
  url: string;
  /** The headers of every request so far. */
  headers: IncomingHttpHeaders[];
  /** Loses all sessions, as a restart does. `always`: also those that begin later. */
  forget(how?: { always: boolean }): void;
  /** Cuts every connection that is open. */
  cut(): void;
  /** Listens no more. */
  stop(): Promise<void>;
}

/** The answer to a request of a session that is not known. */
export interface NoSession {
  status: number;
  body?: string;
}

/**
 * The test server behind HTTP, with sessions; ends with the test. `json`: answers are JSON, not event streams.
 */
export async function mcpHttpServer({
  json = false,
  noSession = { status: 404 },
}: { json?: boolean; noSession?: NoSession } = {}): Promise<McpHttpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const headers: IncomingHttpHeaders[] = [];
  let keepsSessions = true;

  const begin = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: json,
      onsessioninitialized: (id) => {
        if (keepsSessions) sessions.set(id, transport);
      },
    });
    await testServer().connect(transport);
    return transport;
  };

  const server = createServer((request, response) => {
    headers.push(request.headers);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      response.writeHead(noSession.status).end(noSession.body);
      return;
    }
    void (known === undefined ? begin() : Promise.resolve(known)).then((transport) =>
      transport.handleRequest(request, response),
    );
  });
  const url = `http://${await listen(server)}/mcp`;
  return {
    url,
    headers,
    forget: ({ always } = { always: false }) => {
      keepsSessions = !always;
      sessions.clear();
    },
    cut: () => server.closeAllConnections(),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      // Node's fetch finds out by a request that its connections are closed.
      await expect.poll(() => fetch(url).catch(connectionProblem)).toBe('ECONNREFUSED');
    },
  };
}
