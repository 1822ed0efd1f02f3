import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Model } from '../../../../../../adapters/models/model.ts';
import { azureOpenAI } from '../../../../../../adapters/models/openai/azure.ts';
import { openai } from '../../../../../../adapters/models/openai/openai.ts';
import { bareServer, callContext, modelRequest } from '../../../../../support/model-calls.ts';

const CALLS = 20;

const models: [string, (url: string) => Model][] = [
  ['OpenAI', (url) => openai({ baseURL: url, apiKey: 'sk-1' })],
  ['Azure', (url) => azureOpenAI({ endpoint: url, apiKey: 'sk-1', apiVersion: '2024-10-21' })],
];

describe.each(models)('connections of %s', (_name, modelAt) => {
  test.each([true, false])('calls one after the other take one connection (stream: %s)', async (stream) => {
    const answer = (response: ServerResponse) =>
      stream ? events(response, thoughtAndText) : whole(response);
    const { url, sockets } = await counting((_request, response) => answer(response));
    const model = modelAt(url);
    for (let call = 0; call < CALLS; call++) {
      const reply = await model.call(modelRequest({ stream }), callContext());
      expect(reply.text).toBe('hi');
      await setImmediate(); // fetch gives a connection free one turn after the answer
    }
    expect(sockets.size).toBe(1);
  });
});

test('another model with the same endpoint and key takes the same connection', async () => {
  const { url, sockets } = await counting((_request, response) => events(response, thoughtAndText));
  for (let model = 0; model < 3; model++) {
    await openai({ baseURL: url, apiKey: 'sk-1' }).call(modelRequest({ stream: true }), callContext());
    await setImmediate();
  }
  expect(sockets.size).toBe(1);
});

test('a call that is cancelled closes its own connection and no other; the next call works', async () => {
  const open: ServerResponse[] = [];
  const { url, sockets } = await counting((_request, response) => {
    if (open.push(response) > 2) return events(response, thoughtAndText);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(lineOf(thoughtAndText[0] ?? {}));
  });
  const model = openai({ baseURL: url, apiKey: 'sk-1' });
  const abort = new AbortController();
  const cancelled = model.call(modelRequest({ stream: true }), callContext({ signal: abort.signal }));
  cancelled.catch(() => {});
  await vi.waitFor(() => expect(open).toHaveLength(1), 10_000);
  const other = model.call(modelRequest({ stream: true }), callContext());
  await vi.waitFor(() => expect(open).toHaveLength(2), 10_000);

  abort.abort(new Error('cancelled'));
  await expect(cancelled).rejects.toThrow('cancelled');
  const [first, second] = [...sockets];
  await vi.waitFor(() => expect(first?.destroyed).toBe(true), 10_000);
  expect(second?.destroyed).toBe(false);

  expect((await model.call(modelRequest({ stream: true }), callContext())).text).toBe('hi');
  const [, waiting] = open;
  waiting?.end(thoughtAndText.slice(1).map(lineOf).join(''));
  expect((await other).text).toBe('hi');
});

test('a call that takes too long closes its connection', async () => {
  const { url, sockets } = await counting((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
  });
  const model = openai({ baseURL: url, apiKey: 'sk-1' });
  const signal = AbortSignal.timeout(1000);
  const call = model.call(modelRequest({ stream: true }), callContext({ signal }));
  await expect(call).rejects.toMatchObject({ name: 'TimeoutError' });
  await vi.waitFor(() => expect([...sockets].map(({ destroyed }) => destroyed)).toEqual([true]), 10_000);
});

/** A server, and the connections that it was asked through. */
async function counting(listener: RequestListener): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const url = await bareServer((request, response) => {
    sockets.add(request.socket);
    request.resume().once('end', () => listener(request, response));
  });
  return { url, sockets };
}

const thoughtAndText = [
  { choices: [{ index: 0, delta: { reasoning_content: 'hm' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
];

function lineOf(piece: object): string {
  return `data: ${JSON.stringify(piece)}\n\n`;
}

function events(response: ServerResponse, pieces: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of pieces) response.write(lineOf(piece));
  response.end('data: [DONE]\n\n');
}

function whole(response: ServerResponse): void {
  const choices = [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }];
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ choices }));
}
