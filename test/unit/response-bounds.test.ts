import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { limits } from '../../agent/limits.ts';
import { openai } from '../../models/openai/openai.ts';
import { mcp } from '../../tools/index.ts';
import { failureOf } from '../support/loopback.ts';
import { callContext, modelRequest } from '../support/model-calls.ts';

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // of a TCP server
  return { url: `http://127.0.0.1:${port}`, hungUp: () => hungUp };
}

function writeOn(response: ServerResponse, words: string): void {
  while (!response.destroyed && response.write(words));
  response.once('drain', () => writeOn(response, words));
}

const ask = ({ url }: Endless, stream: boolean) =>
  openai({ baseURL: url, apiKey: 'sk-1' }).call(modelRequest({ stream }), callContext());

const MEGABYTES = limits.responseBytes / 1e6;

test.each([
  {
    what: 'a reply in one piece',
    stream: false,
    type: 'application/json',
    says: `sent more than ${MEGABYTES} MB`,
  },
  {
    what: 'a line of a stream',
    stream: true,
    type: 'text/event-stream',
    says: 'a line of more than 2 MB',
  },
])('of a model, $what that never ends is an invalid response', async ({ stream, type, says }) => {
  const server = await endless(200, type, 'data: {"choices":[{"delta":{"content":"', 'x');
  const error = await failureOf(ask(server, stream));
  expect(error).toMatchObject({ type: 'ModelInvalidResponse', message: expect.stringContaining(says) });
  await vi.waitFor(() => expect(server.hungUp()).toBe(1), 10_000);
});

test('of a model, an error that never ends is known by its beginning', async () => {
  const server = await endless(500, 'text/plain', 'out of disk ', 'x');
  const error = await failureOf(ask(server, false));
  expect(error).toMatchObject({ type: 'ModelServerError', message: expect.stringContaining('out of disk') });
  await vi.waitFor(() => expect(server.hungUp()).toBe(1), 10_000);
});

test.each([
  { what: 'arguments of a call', piece: { index: 0, function: { arguments: 'xxxxxxxxxx' } } },
  { what: 'calls', piece: { function: { name: 'again', arguments: '{}' } } },
])('of a model, $what without end are cut, as text is', async ({ piece }) => {
  const line = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [piece] } }] })}\n\n`;
  const server = await endless(200, 'text/event-stream', '', line);
  const reply = await ask(server, true);
  expect(reply.finishReason).toBe('length');
  expect(JSON.stringify(reply.toolCalls).length).toBeGreaterThan(limits.replyBytes * 0.9);
  await vi.waitFor(() => expect(server.hungUp()).toBe(1), 10_000);
});

test('of an MCP server, an answer that never ends is one that cannot be had', async () => {
  const server = await endless(200, 'application/json', '{"jsonrpc":"2.0","id":0,"result":{"a":"', 'x');
  const error = await failureOf(mcp({ url: `${server.url}/mcp` }));
  expect(error).toMatchObject({
    name: 'McpUnavailable',
    message: expect.stringContaining(`longer than ${MEGABYTES} MB`),
  });
  await vi.waitFor(() => expect(server.hungUp()).toBe(1), 10_000);
});
