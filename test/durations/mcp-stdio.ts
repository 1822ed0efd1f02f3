import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { begin, readTask } from './task.ts';

const server = new Server({ name: 'durations', version: '1' }, { capabilities: { tools: {} } });
const properties = { task: { type: 'string' } };
const inputSchema = { type: 'object' as const, properties, required: ['task'] };
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: 'mcp_stdio', description: 'takes its time', inputSchema }],
}));
server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const task = readTask(String(params.arguments?.['task']));
  await sleep(begin(task) * 1000);
  return { content: [{ type: 'text', text: `did ${task.key}` }] };
});
await server.connect(new StdioServerTransport());
