import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { openai } from '../../models/openai/openai.ts';
import { bareServer, callContext, modelRequest } from '../support/model-calls.ts';

const reply = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
});

const ask = (baseURL: string) =>
  openai({ baseURL, apiKey: 'sk-1' }).call(modelRequest({ stream: false }), callContext());

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('a reply that is compressed although nobody asked for it is read: %s', async (encoding, compress) => {
  const url = await bareServer((request, response) => {
    expect(request.headers['accept-encoding']).toBeUndefined();
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding });
    response.end(compress(reply));
  });
  expect((await ask(url)).text).toBe('hi');
});

test('a reply that breaks off within its compression is a broken connection', async () => {
  const url = await bareServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(reply).subarray(0, 20));
  });
  await expect(ask(url)).rejects.toMatchObject({ type: 'ModelConnectionError', retryable: true });
});

test.each([307, 308])('a redirect (%s) is followed with the request as it was', async (status) => {
  const bodies: string[] = [];
  const url = await bareServer((request, response) => {
    if (request.url?.startsWith('/v1/') === true) {
      response.writeHead(status, { location: '/elsewhere' });
      response.end('Over there.');
      return;
    }
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(reply));
  });
  expect((await ask(url)).text).toBe('hi');
  expect(bodies.join('')).toContain('"messages"');
});

test('of an error the first words are read, however much comes', async () => {
  const url = await bareServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.write('{"error":{"message":"too much of it ');
    const more = setInterval(() => response.write('x'.repeat(100_000)), 1);
    response.on('close', () => clearInterval(more));
  });
  await expect(ask(url)).rejects.toMatchObject({ type: 'ModelBadRequest' });
});

test('a dispatcher of a version that takes no requests of this one is used by fetch', async () => {
  const global = Symbol.for('undici.globalDispatcher.1');
  void Headers;
  const before = Reflect.get(globalThis, global) as { dispatch(options: object, handler: object): boolean };
  const handlers: boolean[] = [];
  Reflect.set(globalThis, global, {
    dispatch(options: object, handler: object) {
      handlers.push(handler.constructor.name === 'RequestHandler');
      if (handlers.at(-1) === true)
        throw Object.assign(new Error('invalid handler'), { code: 'UND_ERR_INVALID_ARG' });
      return before.dispatch(options, handler);
    },
  });
  onTestFinished(() => void Reflect.set(globalThis, global, before));
  const url = await bareServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
  });
  expect((await ask(url)).text).toBe('hi');
  expect(handlers).toEqual([true, false]);
});
