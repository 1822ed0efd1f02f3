import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Model } from '../../models/model.ts';
import { azureOpenAI } from '../../models/openai/azure.ts';
import { openai } from '../../models/openai/openai.ts';
import type { JsonObject } from '../../agent/values/vocabulary.ts';
import { serializeBody } from '../../models/openai/request/incremental-body.ts';
import { bareServer, callContext, modelRequest } from '../support/model-calls.ts';

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

const HEAD = { model: 'm', temperature: 0, stop: ['\nObservation:'] };

function readable(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString());
}

function chat(...messages: Json[]): JsonObject {
  return { ...HEAD, messages };
}

const user = (content: string) => ({ role: 'user', content });

describe('each of the requests of a run is the body that was given', () => {
  const smile = '\u{1F600}';
  const [half = '', otherHalf = ''] = smile;
  const prompts = (...texts: string[]) => texts.map((prompt) => ({ ...HEAD, prompt }));
  const parts = { role: 'user', content: [{ type: 'text', text: 'a' }] };
  const [one, two, three] = [{ id: '1' }, { id: '2' }, { id: '3' }];
  const calls = (...tool_calls: Json[]) => chat(user('a'), { role: 'assistant', content: null, tool_calls });
  const changed = [chat(user('a'), user('b'), user('c')), chat(user('a'), user('x'), user('c'))];
  const named = [chat(user('a')), chat({ ...user('a'), name: 'b' }), chat({ name: 'b', ...user('a') })];
  const halves = [chat(user(`a${otherHalf}`)), chat(user(`a${otherHalf}${half}`)), chat(user(`a${smile}`))];

  test.each<[what: string, bodies: JsonObject[]]>([
    ['messages behind those before', [chat(user('a')), chat(user('a'), user('b')), chat(user('a'))]],
    ['the first of them dropped', [chat(user('a'), user('b')), chat(user('b'), user('c'))]],
    ['one in the middle changed', changed],
    ['no messages', [chat(), chat(user('a')), chat()]],
    ['another parameter', [chat(user('a')), { ...chat(user('a'), user('b')), temperature: 1 }]],
    ['a text that goes on', [chat(user('a "b"\n')), chat(user('a "b"\nc')), chat(user('a "b"\nc "d" ä'))]],
    ['a text that is cut', [chat(user('ä "b" c')), chat(user('ä "b'))]],
    ['a text with another end', [chat(user('ä\n1\n (end)')), chat(user('ä\n1\n2\n (end)'))]],
    ['another text', [chat(user('ä')), chat(user('ö'))]],
    ['another role', [chat(user('a')), chat({ role: 'system', content: 'ab' })]],
    ['a text and then parts', [chat(user('a')), chat(parts)]],
    ['further fields', named],
    ['half characters', [chat(user(`a${half}`)), chat(user(`a${smile}`)), chat(user(`a${half}${half}`))]],
    ['whole characters', [chat(user(`a${smile}`)), chat(user(`a${half}x`)), chat(user(`a${smile}${smile}`))]],
    ['other halves', halves],
    ['a text of completions', prompts('a\n', 'a\nb', '')],
    ['a text, then messages', [{ ...HEAD, prompt: 'a' }, chat(user('a')), { prompt: 'a' }, { messages: [] }]],
    ['tool calls', [calls(one), calls(two), calls(two, three)]],
  ])('with %s', (what, bodies) => {
    for (const body of [...bodies, ...bodies.toReversed()]) {
      expect(readable(serializeBody(body, what))).toEqual(body);
    }
  });
});

test('the next request begins with the bytes of the one before', () => {
  const messages: Json[] = [{ role: 'system', content: 'größe' }];
  let before = serializeBody(chat(...messages), 'grows');
  for (let n = 0; n < 20; n++) {
    messages.push({ role: 'assistant', content: `"${n}"` }, user(`ß${n}`));
    const next = serializeBody(chat(...messages), 'grows');
    const shared = before.subarray(0, -']}'.length);
    expect(next.subarray(0, shared.length).equals(shared)).toBe(true);
    before = next;
  }
});

test('a message is written once for all requests of a run, and again for another run', () => {
  let written = 0;
  const message = { role: 'tool', toJSON: () => ({ role: 'tool', written: ++written }) } as unknown as Json; // counts
  for (let n = 0; n < 5; n++) serializeBody(chat(message, user(String(n))), 'one');
  expect(written).toBe(1);
  serializeBody(chat(message), 'other');
  expect(written).toBe(2);
});
