import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, type Socket, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { ProxyAgent } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { openai } from '../../../../../../adapters/models/openai/openai.ts';
import { bareServer, callContext, failureOf, modelRequest } from '../../../../../support/model-calls.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const message = { role: 'assistant', content: 'hi' };
const reply = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });

const ask = (baseURL: string) =>
  openai({ baseURL, apiKey: 'sk-1' }).call(modelRequest({ stream: false }), callContext());

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['deflate', deflateRawSync],
  ['gzip, gzip', (text: string) => gzipSync(gzipSync(text))],
  ['Identity , GZIP', gzipSync],
])('a reply that is compressed although nobody asked for it is read: %s', async (encoding, compress) => {
  const url = await bareServer((request, response) => {
    expect(request.headers['accept-encoding']).toBeUndefined();
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': encoding });
    response.end(compress(reply));
  });
  expect((await ask(url)).text).toBe('hi');
});

test('a reply that breaks off within its compression is a broken connection', async () => {
  const url = await bareServer((_request, response) => {
    response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' });
    response.end(gzipSync(reply).subarray(0, 20));
  });
  await expect(ask(url)).rejects.toMatchObject({ type: 'ModelConnectionError', retryable: true });
});

test.each([307, 308])('a redirect (%s) is followed with the request as it was', async (status) => {
  const bodies: string[] = [];
  const url = await bareServer((request, response) => {
    if (request.url?.startsWith('/v1/') === true) {
      return void response.writeHead(status, { location: '/elsewhere' }).end('Over there.');
    }
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
    request.on('end', () => response.writeHead(200, JSON_TYPE).end(reply));
  });
  expect((await ask(url)).text).toBe('hi');
  expect(bodies.join('')).toContain('"messages"');
});

test('a redirect to another origin takes no secret along', async () => {
  const seen: string[] = [];
  const other = await bareServer((request, response) => {
    seen.push(JSON.stringify(request.headers));
    request.resume().once('end', () => response.writeHead(200, JSON_TYPE).end(reply));
  });
  let asked = 0;
  const url = await bareServer((request, response) => {
    asked++;
    expect(JSON.stringify(request.headers)).toContain('SECRET-1');
    request.resume().once('end', () => response.writeHead(307, { location: `${other}/x` }).end());
  });
  const headers = () => ({ 'x-gateway-key': 'SECRET-2' });
  const model = openai({ baseURL: url, apiKey: 'SECRET-1', headers });
  expect((await model.call(modelRequest(), callContext())).text).toBe('hi');
  expect(asked).toBe(1);
  expect(seen).toEqual([expect.stringContaining('"content-type":"application/json"')]);
  expect(seen.join('')).not.toContain('SECRET');
});

test.each([
  [302, 'http://bob:secret@127.0.0.1:9/v1?key=secret', 'redirects to http://127.0.0.1:9/v1 by 302'],
  [307, 'file:///etc/hosts', 'redirects to'],
  [307, 'http://', 'redirects to an address that is not a URL by 307'],
  [308, '/v1/again', 'redirects again and again'],
])('a redirect that is not followed says so: %s %s', async (status, location, says) => {
  const url = await bareServer((request, response) => {
    request.resume().once('end', () => response.writeHead(status, { location }).end());
  });
  const error = await failureOf(ask(url));
  expect(error).toMatchObject({ type: 'ModelConnectionError', message: expect.stringContaining(says) });
  expect(error.message).not.toContain('secret');
});

test.each([
  [304, 'ModelBadRequest'],
  [600, 'ModelServerError'],
  [999, 'ModelServerError'],
])('an answer of status %s, which no Response can have with a body, is %s', async (status, type) => {
  const url = await bareServer((_request, response) => void response.writeHead(status).end());
  const message = expect.stringContaining(`answered: ${status} `);
  await expect(ask(url)).rejects.toMatchObject({ type, message });
});

test('a call is given up while it connects', async () => {
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo; // of a TCP server
  const abort = new AbortController();
  const model = openai({ baseURL: `https://127.0.0.1:${port}/v1`, apiKey: 'sk-1' });
  const call = model.call(modelRequest(), callContext({ signal: abort.signal }));
  call.catch(() => {});
  await once(silent, 'connection');
  abort.abort(new Error('cancelled'));
  await expect(call).rejects.toThrow('cancelled');
});

test('a proxy that hangs up is asked once for each call', async () => {
  let connects = 0;
  const proxy = createServer().on('connect', (_request, socket) => {
    connects++;
    socket.destroy();
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  useDispatcher(new ProxyAgent(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`));
  for (const calls of [1, 2]) {
    await expect(ask('https://model.invalid/v1')).rejects.toMatchObject({ type: 'ModelConnectionError' });
    expect(connects).toBe(calls);
  }
});

test('an error is read by its first words, however much comes', async () => {
  const url = await bareServer((_request, response) => {
    response.writeHead(400, JSON_TYPE);
    response.write('{"error":{"message":"too much of it ');
    const more = setInterval(() => response.write('x'.repeat(100_000)), 1);
    response.on('close', () => clearInterval(more));
  });
  await expect(ask(url)).rejects.toMatchObject({ type: 'ModelBadRequest' });
});

test('a dispatcher of a version that takes no requests of this one is used by fetch', async () => {
  const handlers: boolean[] = [];
  const before = useDispatcher({
    dispatch(options: object, handler: object) {
      handlers.push(handler.constructor.name === 'RequestHandler');
      if (handlers.at(-1) === true)
        throw Object.assign(new Error('invalid handler'), { code: 'UND_ERR_INVALID_ARG' });
      return before.dispatch(options, handler);
    },
  });
  const url = await bareServer((_request, response) => void response.writeHead(200, JSON_TYPE).end(reply));
  expect((await ask(url)).text).toBe('hi');
  expect(handlers).toEqual([true, false]);
});

test('a request is dispatched once, also where an option that is meant for undici itself is refused', async () => {
  let dispatches = 0;
  const before = useDispatcher({
    dispatch(options: { dispatcher?: unknown }, handler: object) {
      dispatches++;
      if (options.dispatcher !== undefined)
        throw Object.assign(new Error('opts.dispatcher is not supported'), { code: 'UND_ERR_INVALID_ARG' });
      return before.dispatch(options, handler);
    },
  });
  const url = await bareServer((_request, response) => void response.writeHead(200, JSON_TYPE).end(reply));
  expect((await ask(url)).text).toBe('hi');
  expect(dispatches).toBe(1);
});

test('a header that no Headers can hold is left out, and the reply is read', async () => {
  const url = await bareServer((_request, { socket }) => {
    const headers = `content-type: application/json\r\nx-model-name: 通义千问`;
    socket?.end(`HTTP/1.1 200 OK\r\n${headers}\r\ncontent-length: ${reply.length}\r\n\r\n${reply}`);
  });
  expect((await ask(url)).text).toBe('hi');
});

interface Dispatches {
  dispatch(options: object, handler: object): boolean;
}

/** Until the end of the test, in place of the dispatcher that is returned. */
function useDispatcher(dispatcher: object): Dispatches {
  const global = Symbol.for('undici.globalDispatcher.1');
  void Headers; // Node makes its own with it
  const before = Reflect.get(globalThis, global) as Dispatches;
  Reflect.set(globalThis, global, dispatcher);
  onTestFinished(() => void Reflect.set(globalThis, global, before));
  return before;
}
