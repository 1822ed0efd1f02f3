import { type ServerResponse, createServer } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { limits } from '../../../../../agent/values/limits.ts';
import { type Tool, elasticsearch, http, mcp, search } from '../../../../../index.ts';
import { openai } from '../../../../../adapters/models/openai/openai.ts';
import { listen } from '../../../../support/listen.ts';
import { failureOf } from '../../../../support/loopback.ts';
import { callContext, modelRequest } from '../../../../support/model-calls.ts';
import { toolContext } from '../../../../support/tool-context.ts';

interface Endless {
  url: string;
  /** Connections that the other end has closed before the answer was over. */
  hungUp(): number;
}

/** Answers each request with a beginning, and then with the same words again and again, for ever. */
async function endless(status: number, type: string, beginning: string, again: string): Promise<Endless> {
  let hungUp = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': type });
    response.once('close', () => hungUp++);
    response.write(beginning);
    writeOn(response, again.repeat(Math.ceil(100_000 / again.length)));
  });
  return { url: `http://${await listen(server)}`, hungUp: () => hungUp };
}

function writeOn(response: ServerResponse, words: string): void {
  while (!response.destroyed && response.write(words));
  response.once('drain', () => writeOn(response, words));
}

const ask = ({ url }: Endless, stream: boolean) =>
  openai({ baseURL: url, apiKey: 'sk-1' }).call(modelRequest({ stream }), callContext());

const MEGABYTES = limits.responseBytes / 1e6;

const EVENT = 'an event of more than 2 MB';
test.each([
  ['a reply in one piece', 'application/json', 'x', `sent more than ${MEGABYTES} MB`],
  ['a line of a stream', 'text/event-stream', 'x', EVENT],
  ['an event of a stream, in lines,', 'text/event-stream', ': keep-alive\n', EVENT],
])('%s of a model that never ends is an invalid response', async (_what, type, again, says) => {
  const stream = type === 'text/event-stream';
  const server = await endless(200, type, 'data: {"choices":[{"delta":{"content":"', again);
  const error = await failureOf(ask(server, stream));
  expect(error).toMatchObject({ type: 'ModelInvalidResponse', message: expect.stringContaining(says) });
  await vi.waitFor(() => expect(server.hungUp()).toBe(1), 10_000);
});

test('an error of a model that never ends is known by its beginning', async () => {
  const server = await endless(500, 'text/plain', 'out of disk ', 'x');
  const error = await failureOf(ask(server, false));
  expect(error).toMatchObject({ type: 'ModelServerError', message: expect.stringContaining('out of disk') });
  await vi.waitFor(() => expect(server.hungUp()).toBe(1), 10_000);
});

test('arguments of a call of a model that never end are cut, as text is', async () => {
  const line = callLine({ function: { arguments: 'xxxxxxxxxx' } });
  const server = await endless(200, 'text/event-stream', '', line);
  const reply = await ask(server, true);
  expect(reply.finishReason).toBe('length');
  expect(JSON.stringify(reply.toolCalls).length).toBeGreaterThan(limits.replyBytes * 0.9);
  await vi.waitFor(() => expect(server.hungUp()).toBe(1), 10_000);
});

test('calls of a model without end are an invalid response after the 256th', async () => {
  const server = await endless(200, 'text/event-stream', '', callLine({ function: { name: 'again' } }));
  const error = await failureOf(ask(server, true));
  const message = expect.stringMatching(/sent more than 256 tool calls \(.{0,400}\)\.$/u);
  expect(error).toMatchObject({ type: 'ModelInvalidResponse', retryable: true, message });
  await vi.waitFor(() => expect(server.hungUp()).toBe(1), 10_000);
});

function callLine(piece: object): string {
  const choices = [{ index: 0, delta: { tool_calls: [piece] } }];
  return `data: ${JSON.stringify({ choices })}\n\n`;
}

test('an answer of an MCP server that never ends is one that cannot be had', async () => {
  const server = await endless(200, 'application/json', '{"jsonrpc":"2.0","id":0,"result":{"a":"', 'x');
  const error = await failureOf(mcp({ url: `${server.url}/mcp` }));
  const message = expect.stringContaining(`longer than ${MEGABYTES} MB`);
  expect(error).toMatchObject({ name: 'McpUnavailable', message });
  await vi.waitFor(() => expect(server.hungUp()).toBe(1), 10_000);
});

/** How a server falls silent. What it has sent until then may be less than an answer's head. */
const SILENCES = {
  'before its answer': [],
  'within the headers of its answer': ['HTTP/1.1 200 OK\r\ncontent-ty', 'pe: application/js'],
  'within the body of its answer': [
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"jsonrpc',
  ],
  'within an event of its answer': ['HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n:\n\n'],
};

interface SilentServer {
  url: string;
  host: string;
  /** A request that is not answered has come. */
  asked: Promise<unknown>;
  /** Its connection was closed by whoever asked. */
  released: Promise<unknown>;
}

/** Answers as `first` says; where that says nothing, it sends these pieces and then is silent. */
async function silentServer(
  pieces: readonly string[],
  first: (body: string) => object | undefined = () => undefined,
): Promise<SilentServer> {
  let ask = (_socket: Socket) => {};
  const asked = new Promise<Socket>((resolve) => (ask = resolve));
  const released = asked.then((socket) => new Promise((resolve) => socket.once('close', resolve)));
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const answer = first(body);
      if (answer !== undefined) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
        return;
      }
      for (const piece of pieces) request.socket.write(piece);
      ask(request.socket);
    });
  });
  const host = await listen(server);
  return { url: `http://${host}`, host, asked, released };
}

/** What an MCP server says before its tools are called. */
function mcpStart(body: string): object | undefined {
  type Sent = { id?: number; method: string; params?: { protocolVersion?: string } }; // the SDK's
  const { id, method, params } = JSON.parse(body) as Sent;
  if (id === undefined) return {};
  const serverInfo = { name: 's', version: '1' };
  const result = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo },
    'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' } }] },
  }[method];
  const unknown = { jsonrpc: '2.0', id, error: { code: -32_601, message: method } };
  if (method === 'server/discover') return unknown;
  return result && { jsonrpc: '2.0', id, result };
}

const tools: [name: string, make: (server: SilentServer) => Promise<Tool[]> | Tool, input: unknown][] = [
  ['elasticsearch', ({ url }) => elasticsearch({ url, index: 'i' }), 'words'],
  ['search', ({ url }) => search({ baseURL: url, apiKey: 'k' }), 'words'],
  ['http', ({ host }) => http({ allow: [host] }), undefined],
  ['mcp', ({ url }) => mcp({ url }), {}],
];

describe.each(tools)('a call of %s to a server that falls silent', (name, make, input) => {
  test.each(Object.entries(SILENCES))(
    '%s ends with its signal, and closes the connection',
    async (_when, pieces) => {
      const server = await silentServer(pieces, name === 'mcp' ? mcpStart : undefined);
      const [tool] = [await make(server)].flat();
      if (tool === undefined) throw new Error('the server has no tool');
      const timeOut = new AbortController();
      const given = tool.parseInput((input ?? server.url) as never) as never;
      const call = tool.run(given, toolContext({ signal: timeOut.signal }));
      await server.asked;
      timeOut.abort(new Error('the time is over'));
      await expect(call).rejects.toThrow('the time is over');
      await server.released;
    },
  );
});

test.each(Object.entries(SILENCES))(
  'a config whose MCP server falls silent %s is refused',
  async (_when, pieces) => {
    const server = await silentServer(pieces);
    const loading = mcp({ url: server.url }, { connectTimeoutMs: 2_000 });
    await expect(loading).rejects.toThrow('did not answer within 2 s');
    await server.released;
  },
);
