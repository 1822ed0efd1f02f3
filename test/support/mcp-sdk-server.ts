import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import {
  type InputRequests,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  createMcpHandler,
  inputRequired,
} from '@modelcontextprotocol/server';
import { z } from 'zod/v4';
import { MCP_IDEMPOTENCY_KEY, MCP_TASKS } from '../../agent/values/names.ts';
import { fieldOf } from '../../agent/values/values.ts';

/** A server of the SDK 2.4 over HTTP, of 2026-07-28. Its tools ask by their results, or begin tasks. */
export interface McpSdkServer {
  url: string;
  /** Bodies of tools that ran after all answers were there, by tool. One that runs again with a known key has no effect. */
  ran: string[];
  effects: string[];
  /** Ids of tasks that were begun, asked about, and cancelled, in order. */
  tasks: { begun: string[]; asked: string[]; cancelled: string[] };
  /** Tools and tasks end only while this is true. */
  open: boolean;
  stop(): void;
}

const forms: { [tool: string]: InputRequests } = {
  book: {
    rooms: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'How many rooms?',
        requestedSchema: {
          type: 'object',
          properties: { count: { type: 'integer' } },
          required: ['count'],
        },
      },
    },
  },
  sign: {
    page: {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Sign here.', url: 'https://a.example/sign', elicitationId: 'e-1' },
    },
  },
};

export async function startMcpSdkServer(): Promise<McpSdkServer> {
  const state: McpSdkServer = {
    url: '',
    ran: [],
    effects: [],
    tasks: { begun: [], asked: [], cancelled: [] },
    open: false,
    stop: () => undefined,
  };
  const keys = new Set<string>();
  const opened = async (signal: AbortSignal) => {
    while (!state.open && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 20));
    signal.throwIfAborted();
  };

  function make(): McpServer {
    const server = new McpServer(
      { name: 'travel', version: '1' },
      { capabilities: { tools: {} }, requestState: { verify: (sent) => sent } },
    );
    for (const [tool, inputRequests] of Object.entries(forms)) {
      server.registerTool(tool, { inputSchema: z.object({}) }, async (_input, { mcpReq }) => {
        const { inputResponses } = mcpReq;
        if (inputResponses === undefined) return inputRequired({ inputRequests, requestState: `of ${tool}` });
        if (mcpReq.requestState() !== `of ${tool}`) throw new Error('another state');
        const key = String(fieldOf(mcpReq['_meta'], MCP_IDEMPOTENCY_KEY));
        state.ran.push(tool);
        await opened(mcpReq.signal);
        if (!keys.has(key)) state.effects.push(tool);
        keys.add(key);
        return { content: [{ type: 'text', text: JSON.stringify(inputResponses) }] };
      });
    }
    server.registerTool('report', { inputSchema: z.object({}) }, () => {
      const taskId = `task-${state.tasks.begun.length + 1}`;
      state.tasks.begun.push(taskId);
      return { content: [], resultType: 'task', taskId, status: 'working', ...DATES };
    });
    server.server.registerCapabilities({ extensions: { [MCP_TASKS]: {} } });
    const params = z.object({ taskId: z.string() });
    server.server.setRequestHandler('tasks/get', { params }, ({ taskId }) => {
      const { begun, asked, cancelled } = state.tasks;
      if (!begun.includes(taskId)) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'no such task');
      asked.push(taskId);
      if (cancelled.includes(taskId)) return { taskId, status: 'cancelled', ...DATES };
      const result = { resultType: 'complete', content: [{ type: 'text', text: `the report of ${taskId}` }] };
      return { taskId, ...DATES, ...(state.open ? { status: 'completed', result } : { status: 'working' }) };
    });
    server.server.setRequestHandler('tasks/cancel', { params }, ({ taskId }) => {
      state.tasks.cancelled.push(taskId);
      return {};
    });
    return server;
  }

  const handler = createMcpHandler(() => make());
  const http = createAdaptorServer({ fetch: (request) => handler.fetch(request) });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  state.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`; // of a TCP server
  state.stop = () => {
    if ('closeAllConnections' in http) http.closeAllConnections();
    http.close();
  };
  return state;
}

const DATES = {
  createdAt: '2026-11-28T00:00:00Z',
  lastUpdatedAt: '2026-11-28T00:00:00Z',
  ttlMs: null,
  pollIntervalMs: 100,
};
