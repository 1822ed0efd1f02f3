import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldOf } from '../../agent/values/values.ts';
import { Task, begin, readTask } from './task.ts';

interface Service {
  url: string;
  stop(): void;
}

/** A model server, an MCP server and a page, which take as long as a task says. */
export async function startServices(): Promise<Service> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  Object.assign(server, { requestTimeout: 0, headersTimeout: 0 });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // of a TCP server
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  let body = '';
  for await (const piece of request) body += String(piece);
  if (pathname === '/page') {
    const task = readTask(searchParams.get('task') ?? '');
    await sleep(begin(task) * 1000);
    response.end(`did ${task.key}`);
  } else if (pathname === '/mcp') await mcp(JSON.parse(body || '{}') as McpRequest, response);
  else await model(JSON.parse(body) as ModelBody, response);
}

interface McpRequest {
  id?: number;
  method?: string;
  params?: { protocolVersion?: string; arguments?: unknown };
}

/** The SDK's server has its own time-outs; this one has none. */
async function mcp({ id, method, params }: McpRequest, response: ServerResponse): Promise<void> {
  if (id === undefined) return void response.writeHead(202).end();
  const send = (result: object) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  if (method === 'initialize') {
    const serverInfo = { name: 'durations', version: '1' };
    send({ protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === 'tools/list') {
    const properties = { task: { type: 'string' } };
    const inputSchema = { type: 'object', properties, required: ['task'] };
    send({ tools: [{ name: 'mcp_http', description: 'takes its time', inputSchema }] });
  } else if (method !== 'tools/call') {
    const error = { code: -32_601, message: 'Method not found' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error }));
  } else {
    const task = readTask(String(fieldOf(params?.arguments, 'task')));
    await sleep(begin(task) * 1000);
    send({ content: [{ type: 'text', text: `did ${task.key}` }] });
  }
}

interface ModelBody {
  stream?: boolean;
  model: string;
  messages: { role: string; content: unknown }[];
}

/** Answers after the time of the task, in the way that the name of the model says. */
async function model({ model: name, messages }: ModelBody, response: ServerResponse): Promise<void> {
  const task = Task.parse(JSON.parse(textOf(messages.at(-1)?.content)));
  const { key, end } = task;
  const seconds = begin(task);
  const head = { id: 'c', created: 1, model: name };
  const piece = (delta: object, finish_reason: string | null = null) => {
    const chunk = { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  if (name === 'gap' || name === 'stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    piece({ role: 'assistant', content: 'did ' });
  }
  if (name === 'stream') {
    for (let second = 0; second < seconds; second++) {
      await sleep(1000);
      piece({ content: '' });
    }
  } else await sleep(seconds * 1000);
  if (end === 'error' && !response.headersSent) {
    const error = { message: 'This model is retired.', type: 'invalid_request_error', code: 'retired' };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  } else if (name === 'whole') {
    const message = { role: 'assistant', content: `did ${key}` };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...head, object: 'chat.completion', choices }));
  } else {
    if (name === 'silent') response.writeHead(200, { 'content-type': 'text/event-stream' });
    piece({ content: name === 'silent' ? `did ${key}` : key });
    piece({}, 'stop');
    response.end('data: [DONE]\n\n');
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? (content as { text?: string }[]).map(({ text = '' }) => text).join('') : '';
}
