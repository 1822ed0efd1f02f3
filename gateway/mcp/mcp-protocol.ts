import type { Protocol } from '../http/protocol.ts';
import { Refused } from '../http/problem.ts';
import { agentServers } from './agent-server.ts';

/** Agents as tools of an MCP server, over streamable HTTP without sessions: any instance answers any request. */
export const mcpProtocol: Protocol = {
  prefix: '/mcp',
  routes: [
    {
      method: 'post',
      path: '',
      async handle({ request, ...options }) {
        const { createMcpHandler } = await loadSdk();
        const handler = createMcpHandler(await agentServers(options), {
          responseMode: 'sse', // an answer may take as long as a person does
          maxRequestBodySize: Number.MAX_SAFE_INTEGER, // the gateway has its own limit
        });
        return handler.fetch(request);
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

async function loadSdk() {
  try {
    return await import('@modelcontextprotocol/server');
  } catch {
    throw new Refused(
      501,
      'NotInstalled',
      'The gateway needs `npm install @modelcontextprotocol/server` for MCP.',
    );
  }
}
