import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, createServer } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { listen } from './listen.ts';
import { testServer } from './mcp-server.ts';

export interface McpHttpServer {
  url: string;
  /** The headers of every request so far. */
  headers: IncomingHttpHeaders[];
  /** Loses all sessions, as a restart does. */
  forget(): void;
  /** Cuts every connection that is open. */
  cut(): void;
}

/** The test server behind HTTP, with sessions; ends with the test. `json`: answers are JSON, not event streams. */
export async function mcpHttpServer({ json = false } = {}): Promise<McpHttpServer> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const headers: IncomingHttpHeaders[] = [];

  const begin = async () => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: json,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    await testServer().connect(transport);
    return transport;
  };

  const server = createServer((request, response) => {
    headers.push(request.headers);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end();
      return;
    }
    void (known === undefined ? begin() : Promise.resolve(known)).then((transport) =>
      transport.handleRequest(request, response),
    );
  });
  return {
    url: `http://${await listen(server)}/mcp`,
    headers,
    forget: () => sessions.clear(),
    cut: () => server.closeAllConnections(),
  };
}
