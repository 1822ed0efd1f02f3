import type { Protocol } from '../http/protocol.ts';
import { Refused } from '../http/problem.ts';
import { createAgentServer } from './agent-server.ts';

/** Agents as tools of an MCP server, over streamable HTTP without sessions: any instance answers any request. */
export const mcpProtocol: Protocol = {
  prefix: '/mcp',
  routes: [
    {
      method: 'post',
      path: '',
      async handle({ request, ...options }) {
        const transport = await newTransport();
        const server = await createAgentServer(options);
        request.signal.addEventListener('abort', () => void server.close());
        await server.connect(transport);
        return transport.handleRequest(request);
      },
    },
    { method: 'get', path: '', handle: async () => onlyPosts() },
    { method: 'delete', path: '', handle: async () => onlyPosts() },
  ],
};

/** A client asks for a session's stream, and ends its session: there are no sessions. */
function onlyPosts(): Response {
  return new Response(null, { status: 405, headers: { allow: 'POST' } });
}

async function newTransport() {
  try {
    const { WebStandardStreamableHTTPServerTransport: Transport } =
      await import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js');
    return new Transport({});
  } catch {
    throw new Refused(
      501,
      'NotInstalled',
      'The gateway needs `npm install @modelcontextprotocol/sdk` for MCP.',
    );
  }
}
