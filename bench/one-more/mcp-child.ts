import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { z } from 'zod/v4';

/** An MCP server over HTTP with one tool, in a process of its own. Each client is a session. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'places', version: '1' }, { capabilities: { tools: {} } });
  server.registerTool('look', { inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'seen' }],
  }));
  return server;
});
const http = createAdaptorServer({ fetch: (request) => handler.fetch(request) });
http.listen(0, '127.0.0.1');
await once(http, 'listening');
process.send?.({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` }); // of a TCP server
process.on('disconnect', () => process.exit());
