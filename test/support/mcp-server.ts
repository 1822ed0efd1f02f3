import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  type CallToolResult,
  CallToolRequestSchema,
  ErrorCode,
  ElicitResultSchema,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';

interface Call {
  args: { [name: string]: unknown };
  /** What the client sends beside the input. */
  meta: { [name: string]: unknown };
  /** Aborted when the client cancels the call. */
  signal: AbortSignal;
  progress(made: { progress: number; total?: number; message?: string }): Promise<void>;
  /** Asks the person at the client. */
  elicit(message: string): Promise<unknown>;
}

interface TestTool extends Partial<Tool> {
  run(call: Call): Promise<CallToolResult> | CallToolResult;
}

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });
const number = { type: 'number' };

/** How many calls of `slow` were cancelled; for tests that run the server in their own process. */
export const seen = { cancelled: 0 };

const tools: { [name: string]: TestTool } = {
  add: {
    description: 'Adds two numbers.',
    annotations: { readOnlyHint: true },
    inputSchema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
    run: ({ args: { a, b } }) => {
      if (typeof a !== 'number' || typeof b !== 'number')
        throw new McpError(ErrorCode.InvalidParams, 'a and b have to be numbers');
      return text(String(a + b));
    },
  },
  echo: {
    title: 'Says it back',
    annotations: { idempotentHint: true },
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    run: ({ args }) => text(JSON.stringify(args)),
  },
  fail: { run: () => ({ ...text('there is no such file'), isError: true }) },
  parts: {
    run: () => ({
      content: [
        { type: 'text', text: 'two parts' },
        { type: 'image', mimeType: 'image/png', data: 'AAAA' },
        { type: 'resource', resource: { uri: 'file:///a', text: 'what is in it' } },
      ],
    }),
  },
  structured: { run: () => ({ content: [], structuredContent: { sum: 3 } }) },
  both: { run: () => ({ ...text('three'), structuredContent: { sum: 3 } }) },
  key: { run: ({ meta }) => text(String(meta['reloop/idempotency-key'])) },
  pid: { run: () => text(String(process.pid)) },
  secrets: { run: () => text(JSON.stringify([process.env['GIVEN'], process.env['NOT_GIVEN']])) },
  die: {
    inputSchema: { type: 'object', properties: { unless: { type: 'string' } } },
    run: ({ args: { unless = '' } }) => {
      if (existsSync(String(unless))) return text('alive');
      if (typeof unless === 'string' && unless !== '') writeFileSync(unless, 'died');
      return process.exit(1);
    },
  },
  broken: {
    run: () => {
      throw new McpError(ErrorCode.InternalError, 'the disk is full');
    },
  },
  ask: { run: async ({ elicit }) => text(JSON.stringify(await elicit('Really?'))) },
  empty: { run: () => ({ ...text(''), structuredContent: { result: '' } }) },
  slow: {
    run: async ({ signal, progress }) => {
      await progress({ progress: 1, total: 2, message: 'half way' });
      await progress({ progress: 2 });
      await sleep(60_000, undefined, { signal }).catch(() => seen.cancelled++);
      return text('late');
    },
  },
};

/**
 * An MCP server for tests; lists its tools two on a page. It stands for the servers of before 2026-07-28, which have sessions and ask over the
 * connection: so it is made with the last SDK that knows nothing else, 1.32.2, which no other file imports.
 */
export function testServer(): Server {
  const names = Object.keys(tools);
  const server = new Server({ name: 'test', version: '1.0.0' }, { capabilities: { tools: {} } });

  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const page = names.slice(from, from + 2).map((name) => {
      const { run: _run, ...listed } = tools[name] ?? {};
      return { name, inputSchema: { type: 'object' as const }, ...listed };
    });
    return { tools: page, ...(from + 2 < names.length ? { nextCursor: String(from + 2) } : {}) };
  });

  server.setRequestHandler(CallToolRequestSchema, ({ params }, { signal, sendNotification, sendRequest }) => {
    const { name, arguments: args = {}, _meta: meta = {} } = params;
    const tool = tools[name];
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
    const { progressToken = 0 } = meta;
    const progress: Call['progress'] = (made) =>
      sendNotification({ method: 'notifications/progress', params: { ...made, progressToken } });
    const requestedSchema = { type: 'object' as const, properties: { ok: { type: 'boolean' as const } } };
    const elicit: Call['elicit'] = (message) =>
      sendRequest({ method: 'elicitation/create', params: { message, requestedSchema } }, ElicitResultSchema);
    return tool.run({ args, meta, signal, progress, elicit });
  });
  return server;
}

export { StdioServerTransport, StreamableHTTPServerTransport };
