import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod/v4';
import { begin, readTask } from './task.ts';

serveStdio(() => {
  const server = new McpServer({ name: 'durations', version: '1' });
  server.registerTool(
    'mcp_stdio',
    { description: 'takes its time', inputSchema: z.object({ task: z.string() }) },
    async ({ task: text }) => {
      const task = readTask(text);
      await sleep(begin(task) * 1000);
      return { content: [{ type: 'text', text: `did ${task.key}` }] };
    },
  );
  return server;
});
