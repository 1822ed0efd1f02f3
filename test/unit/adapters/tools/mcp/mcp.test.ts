import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../../agent/values/vocabulary.ts';
import type { Tool, ToolContext } from '../../../../../adapters/tools/index.ts';
import { type McpOptions, ToolError, mcp } from '../../../../../adapters/tools/index.ts';
import { withHeadersOf } from '../../../../../adapters/tools/mcp/call-under-way.ts';
import { mcpConnection } from '../../../../../adapters/tools/mcp/connection.ts';
import type { McpEndpoint } from '../../../../../adapters/tools/mcp/server-spec.ts';
import { loadedConfig } from '../../../../support/config.ts';
import { type NoSession, mcpHttpServer } from '../../../../support/mcp-http.ts';
import { seen } from '../../../../support/mcp-server.ts';
import { bareServer } from '../../../../support/model-calls.ts';
import { toolContext } from '../../../../support/tool-context.ts';

type Given = { json?: boolean; noSession?: NoSession; headers?: McpEndpoint['headers'] };

interface Refused {
  down?: boolean;
  /** The connection is still open when the call begins. */
  connected?: boolean;
  headers?: () => Promise<never>;
}

const userOf = (context?: ToolContext) => JSON.stringify(context?.context['user'] ?? 'service');

/** The tools of the test server, by name. */
async function rig(options: McpOptions = {}, given: Given = {}) {
  const server = await mcpHttpServer(given);
  const { headers = {} } = given;
  const tools = await mcp({ url: server.url, headers }, options);
  return { server, tools, call: caller(tools) };
}

/** Calls a tool as the runner does: the input is parsed first. */
function caller(tools: Tool[]) {
  return async (name: string, input: Json = {}, context: Partial<ToolContext> = {}): Promise<unknown> => {
    const tool = tools.find((one) => one.name === name);
    return tool?.run(tool.parseInput(input) as never, toolContext(context));
  };
}

test('approval is asked for by the names of the server, and a name that it has not is refused', async () => {
  const { tools, server } = await rig({ prefix: 'x_', approval: { add: 'always' } });
  expect(tools.find(({ name }) => name === 'x_add')?.approval).toBe('always');
  expect(tools.filter(({ approval }) => approval !== 'never')).toHaveLength(1);
  const loading = mcp({ url: server.url }, { approval: { subtract: 'always' } });
  await expect(loading).rejects.toThrow('has no tool "subtract"');
});

describe('the tools of an MCP server', () => {
  test('are listed over all pages, with what the server says of them', async () => {
    const { tools } = await rig();
    expect(tools).toHaveLength(14);
    const properties = { a: { type: 'number' }, b: { type: 'number' } };
    const inputSchema = { type: 'object', properties, required: ['a', 'b'] };
    expect(tools.slice(0, 3)).toMatchObject([
      { name: 'add', description: 'Adds two numbers.', effects: 'none', inputSchema },
      { name: 'echo', description: 'Says it back', effects: 'idempotent' },
      { name: 'fail', description: 'fail', effects: 'idempotent', inputSchema: { type: 'object' } },
    ]);
  });

  test('can be a choice, under a prefix, with options of their own', async () => {
    const { tools } = await rig({ only: ['echo', 'add'], prefix: 'my_', timeout: '5s', effects: 'none' });
    expect(tools.map(({ name, timeout, effects }) => ({ name, timeout, effects }))).toEqual([
      { name: 'my_echo', timeout: '5s', effects: 'none' },
      { name: 'my_add', timeout: '5s', effects: 'none' },
    ]);
    expect(await caller(tools)('my_add', { a: 1, b: 2 })).toBe('3');
  });

  test('fit into a config', async () => {
    const { tools } = await rig();
    const { manifest } = loadedConfig({ agents: [{ name: 'a', model: 'm', tools }] });
    expect(manifest('a', {})?.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  });

  test('are refused where the server does not have them, naming those it has', async () => {
    await expect(rig({ only: ['ad'] })).rejects.toThrow(/has no tool "ad"\. It has: add, echo,/u);
  });

  test.each<{ what: string; name: string; input: Json; args: Json }>([
    { what: 'an object as it is', name: 'echo', input: { text: 'a', more: 1 }, args: { text: 'a', more: 1 } },
    { what: 'a text as the first field', name: 'echo', input: 'hello', args: { text: 'hello' } },
    { what: 'a number in a text as text', name: 'echo', input: '5', args: { text: '5' } },
    { what: 'a text with a JSON object', name: 'echo', input: '{"text": "b"}', args: { text: 'b' } },
    { what: 'a text as nothing without fields', name: 'key', input: 'None', args: {} },
    { what: 'a text as a number where one is wanted', name: 'add', input: '5', args: { a: 5 } },
  ])('take $what', async ({ name, input, args }) => {
    const { tools } = await rig({ only: [name] });
    expect(tools[0]?.parseInput(input)).toEqual(args);
  });

  test.each([[null], [7], [[]]])('refuse %j as an input', async (input) => {
    const { call } = await rig({ only: ['echo'] });
    await expect(call('echo', input)).rejects.toMatchObject({ name: 'ToolInputError' });
  });
});

describe('a call', () => {
  const IMAGE = '{"type":"image","data":"4 characters of base64","mimeType":"image/png"}';
  test.each([
    ['structured', 'structured content as JSON where there is no text', '{"sum":3}'],
    ['empty', 'an empty text as it is', ''],
    ['both', 'the text, and structured content of which it says less', 'three\n{"sum":3}'],
    ['parts', 'texts as they are and other parts without their bytes', `two parts\n${IMAGE}\nwhat is in it`],
  ])('of %s gives %s', async (name, _what, output) => {
    const { call } = await rig({ only: [name] });
    expect(await call(name)).toBe(output);
  });

  test.each([true, false])('is answered with JSON or events (JSON: %s)', async (json) => {
    const { call } = await rig({}, { json });
    expect(await call('add', { a: 20, b: 22 })).toBe('42');
  });

  test('tells the server the key against doubled effects', async () => {
    const { call } = await rig();
    expect(await call('key', {}, { idempotencyKey: 'abc' })).toBe('abc');
  });

  test('sends the headers it was given', async () => {
    const { server, call } = await rig({}, { headers: { authorization: 'Bearer x' } });
    await call('key');
    expect(new Set(server.headers.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer x']));
  });

  test('asks a function of headers for each call, also at the same time, and outside of calls without a context', async () => {
    const headers = (context?: ToolContext) =>
      Promise.resolve({ authorization: `Bearer ${userOf(context)}` });
    const { server, call } = await rig({}, { headers });
    const sent = () => server.headers.splice(0).map(({ authorization }) => authorization);
    expect(new Set(sent())).toEqual(new Set(['Bearer "service"']));
    const users = ['alice', 'carol'];
    await Promise.all(users.map((user) => call('key', {}, { context: { user } })));
    expect(new Set(sent())).toEqual(new Set(users.map((user) => `Bearer "${user}"`)));
    server.forget();
    await call('key', {}, { context: { user: 'alice' } });
    const again = sent();
    expect([again[0], again.at(-1)]).toEqual(['Bearer "alice"', 'Bearer "alice"']);
    expect(new Set(again.slice(1, -1))).toEqual(new Set(['Bearer "service"']));
  });

  test('removes the secret headers of a call from the errors of the call', async () => {
    const headers = (context?: ToolContext) => ({ authorization: `Bearer ${context?.runId ?? 'service'}` });
    const server = { url: 'http://127.0.0.1:1/mcp', headers };
    const { hide } = mcpConnection(server, 1_000);
    const text = 'no access for token-of-alice-1';
    const hidden = await withHeadersOf(server, toolContext({ runId: 'token-of-alice-1' }), () =>
      Promise.resolve(hide(text)),
    );
    expect([hidden, hide(text)]).toEqual(['no access for ***', text]);
  });

  test('cancels a call with the headers of that call', async () => {
    const headers = (context?: ToolContext) => ({ 'x-user': userOf(context) });
    const { server, call } = await rig({}, { headers });
    server.headers.splice(0);
    const abort = new AbortController();
    const slow = call('slow', {}, { context: { user: 'alice' }, signal: abort.signal });
    await expect.poll(() => server.headers.length).toBe(1);
    abort.abort(new Error('enough'));
    await expect(slow).rejects.toThrow('enough');
    await expect.poll(() => server.headers.map((fields) => fields['x-user'])).toEqual(['"alice"', '"alice"']);
  });

  test.each<{ what: string; name: string; input?: Json; message: string }>([
    { what: 'an error of the tool', name: 'fail', message: 'there is no such file' },
    { what: 'an input that the server refuses', name: 'add', message: 'a and b have to be numbers' },
  ])('tells the model $what', async ({ name, message }) => {
    const { call } = await rig();
    await expect(call(name)).rejects.toEqual(new ToolError(message));
  });

  test('is one to try again where the server fails it for its own reasons', async () => {
    const { call } = await rig();
    await expect(call('broken')).rejects.toMatchObject({ name: 'McpError', code: -32_603 });
    expect(await call('add', { a: 1, b: 1 })).toBe('2');
  });

  test('shows its progress, and ends with its signal, which the server is told', async () => {
    const { call } = await rig();
    const cancelled = new AbortController();
    const progress: string[] = [];
    const before = seen.cancelled;
    const stop = (text: string) => {
      if (progress.push(text) === 2) cancelled.abort(new Error('cancelled by a person'));
    };
    const result = call('slow', {}, { signal: cancelled.signal, progress: stop });
    await expect(result).rejects.toThrow('cancelled by a person');
    expect(progress).toEqual(['half way (1/2)', '2']);
    await expect.poll(() => seen.cancelled).toBe(before + 1);
    expect(await call('add', { a: 1, b: 1 })).toBe('2');
  });

  test.each<[server: string, noSession: NoSession]>([
    ['MCP', { status: 404 }],
    [
      'the SDK for Python 2.3',
      { status: 404, body: '{"error":{"code":-32600,"message":"Session not found"}}' },
    ],
    [
      'the SDK for TypeScript 1.32, with one session',
      { status: 400, body: '{"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}' },
    ],
    [
      'the examples of the SDK for TypeScript',
      {
        status: 400,
        body: '{"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}',
      },
    ],
  ])(
    'begins a new session where the server does not know the old one, as %s says it',
    async (_server, noSession) => {
      const { server, call } = await rig({}, { noSession });
      server.forget();
      const sums = [1, 2, 3].map((a) => call('add', { a, b: 1 }));
      expect(await Promise.all(sums)).toEqual(['2', '3', '4']);
    },
  );

  test('is not repeated for ever where the server does not know its new session either', async () => {
    const { server, call } = await rig();
    const asked = server.headers.length;
    server.forget({ always: true });
    const error = { name: 'McpUnavailable', notDone: true, message: expect.stringContaining('just started') };
    await expect(call('add', { a: 1, b: 1 })).rejects.toMatchObject(error);
    expect(server.headers.length - asked).toBeLessThan(6);
  });

  test.each([
    ['nobody listens any more', { down: true }],
    ['the server does not let it in again', { down: true, connected: false }],
    ['its headers cannot be made', { headers: () => Promise.reject(new Error('no token')) }],
  ])(
    'was certainly not made where %s',
    async (_what, { down = false, connected = true, headers }: Refused) => {
      const given: Given = headers === undefined ? {} : { headers: (it) => (it ? headers() : {}) };
      const { server, call } = await rig({}, given);
      if (!connected) await call('slow', {}, { progress: () => server.cut() }).catch(() => undefined);
      if (down) await server.stop();
      await expect(call('add', { a: 1, b: 1 })).rejects.toMatchObject({ notDone: true });
    },
  );

  test('fails where its answer breaks off, instead of waiting for ever', async () => {
    const { server, call } = await rig();
    const result = call('slow', {}, { progress: () => server.cut() });
    await expect(result).rejects.toMatchObject({ name: 'McpUnavailable', notDone: false });
    expect(await call('add', { a: 1, b: 1 })).toBe('2');
  });
});

describe('a server that cannot be used', () => {
  const page = '<html>Welcome</html>';
  test.each<[what: string, status: number, reason: RegExp, type?: string, body?: string]>([
    ['refuses us', 401, /refuses us \(HTTP 401\): check its headers/u],
    ['forbids us', 403, /refuses us \(HTTP 403\)/u],
    ['has nothing there', 404, /HTTP 404\): check the path of its url/u],
    ['is broken', 500, /out of memory/u, 'text/plain', 'out of memory'],
    ['is a web page', 200, /is not MCP: .*text\/html/u, 'text/html', page],
    ['says other JSON', 200, /is not MCP/u, 'application/json', '{"a":1}'],
    ['says no JSON', 200, /is not MCP/u, 'application/json', page],
    ['ends its answer early', 200, /ended without a message/u, 'text/event-stream'],
  ])('says so at load when it %s', async (_what, status, reason, type = 'text/plain', body = '') => {
    const url = await bareServer((_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    const message = expect.stringMatching(reason);
    const loading = () => mcp({ url: `${url}?token=secret` });
    await expect(loading()).rejects.toMatchObject({ name: 'McpUnavailable', message });
    await expect(loading()).rejects.not.toThrow(/secret/u);
  });

  test('says so at load when nobody answers there', async () => {
    const refused = /^MCP server http:\/\/127\.0\.0\.1:2: .*ECONNREFUSED/u;
    await expect(mcp({ url: 'http://127.0.0.1:2/mcp' })).rejects.toThrow(refused);
  });

  test('says so at load when it takes too long', async () => {
    const url = await bareServer(() => undefined);
    await expect(mcp({ url }, { connectTimeoutMs: 100 })).rejects.toThrow(/did not answer within 0\.1 s/u);
  });

  const both = { command: 'node', url: 'http://localhost' };
  const odd = [{}, { command: '' }, { url: 'localhost:3000' }, { url: 'ftp://localhost' }, both];
  test.each(odd)('is not even asked when it is %j', async (server) => {
    await expect(mcp(server as { command: string })).rejects.toThrow(/which server\?/u);
  });
});
