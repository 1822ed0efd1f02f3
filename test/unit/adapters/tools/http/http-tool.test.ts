import { describe, expect, it, vi } from 'vitest';
import { type HttpOptions, http } from '../../../../../adapters/tools/http/http.ts';
import { ToolError } from '../../../../../adapters/tools/tool.ts';
import { type LoopbackAnswer, deadHost, failureOf, loopback } from '../../../../support/loopback.ts';
import { toolContext } from '../../../../support/tool-context.ts';

async function send(options: HttpOptions, input: string | { [field: string]: unknown }) {
  const tool = http(options);
  return tool.run(tool.parseInput(input as never) as never, toolContext({ idempotencyKey: 'key-1' }));
}

describe('a request', () => {
  it('is a GET for a plain address, and gives status and body', async () => {
    const { url, host, requests } = await loopback({ body: { ok: true } });
    expect(await send({ allow: [host] }, `${url}/a?b=c#d`)).toBe('HTTP 200 OK\n\n{"ok":true}');
    expect(requests).toMatchObject([{ method: 'GET', path: '/a?b=c', body: '' }]);
  });

  it.each([
    ['an object as JSON', { a: 1 }, '{"a":1}', 'application/json'],
    ['a list as JSON', [1], '[1]', 'application/json'],
    ['a text that is JSON as JSON', '{"a": 1}', '{"a": 1}', 'application/json'],
    ['other text as text', 'a=1', 'a=1', 'text/plain;charset=UTF-8'],
  ])('POSTs %s, with the key of the call', async (_what, body, sent, type) => {
    const { url, host, requests } = await loopback({ status: 201 });
    expect(await send({ allow: [host] }, { url, method: 'POST', body })).toBe('HTTP 201 Created');
    const headers = { 'content-type': type, 'idempotency-key': 'key-1' };
    expect(requests).toMatchObject([{ method: 'POST', body: sent, headers }]);
  });

  it('carries the headers of the config, and of the model those that are listed', async () => {
    const { url, host, requests } = await loopback({});
    const own = ({ pathname }: URL) => ({ authorization: `Bearer ${pathname}`, accept: 'text/html' });
    const input = { url: `${url}/x`, headers: { Accept: 'a/b', 'X-Page': '2' } };
    await send({ allow: [host], headers: own, allowHeaders: ['accept', 'x-page'] }, input);
    const headers = { authorization: 'Bearer /x', accept: 'text/html', 'x-page': '2' };
    expect(requests[0]?.headers).toMatchObject(headers);
  });

  const typed = (body: string | Buffer, type: string) => ({ body, headers: { 'content-type': type } });
  const cut = `\n\n${'ä'.repeat(10)}\n[the rest was not read: the answer is too long]`;
  it.each<[what: string, answer: LoopbackAnswer, told: string]>([
    ['text in its charset', typed(Buffer.from([0xe4]), 'text/plain; charset=latin1'), '200 OK\n\nä'],
    ['text in a charset that nobody knows', typed('a', 'text/plain; charset=klingon'), '200 OK\n\na'],
    ['what is no text', typed(Buffer.from([1, 0, 2]), 'image/png'), '200 OK\n\n(no text: image/png)'],
    ['a long text up to the limit', { body: 'ä'.repeat(50) }, `200 OK${cut}`],
    ['an answer without a body', { status: 204 }, '204 No Content'],
    ['a redirect that leads nowhere', { status: 302 }, '302 Found'],
  ])('tells the model %s', async (_what, answer, told) => {
    const { url, host } = await loopback(answer);
    expect(await send({ allow: [host], maxBytes: 21 }, url)).toBe(`HTTP ${told}`);
  });
});

describe('a request that the model has to mend', () => {
  const evil = { headers: { Host: 'evil.example' } };
  it.each([
    ['a header that is not listed', evil, /may not set host\. Headers you may/],
    ['a header with a line break', { headers: { accept: 'a\r\nhost: evil' } }, /a line break/],
    ['a GET with a body', { body: 'x' }, /GET takes no body/],
  ])('is told to it, and not sent: %s', async (_what, input, says) => {
    const { url, host, requests } = await loopback({});
    const error = await failureOf(send({ allow: [host] }, { url, ...input }));
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ message: expect.stringMatching(says) });
    expect(requests).toEqual([]);
  });

  it('is told to it, and not sent: a method that the config does not list', () => {
    const tool = http({ allow: ['a.example'], methods: ['GET'] });
    expect(() => tool.parseInput({ url: 'https://a.example', method: 'POST' })).toThrow(/not valid/);
    expect(tool).toMatchObject({ effects: 'none' });
  });
});

describe('a redirect', () => {
  it('is followed, relative ones too, within the list', async () => {
    const target = await loopback({ body: 'there' });
    const { url, host } = await loopback(({ path }) => redirect(path === '/a' ? '/b' : `${target.url}/c`));
    expect(await send({ allow: [host, target.host] }, `${url}/a`)).toBe('HTTP 200 OK\n\nthere');
    expect(target.requests).toMatchObject([{ path: '/c' }]);
  });

  it.each([
    ['another host', (other: string) => `http://${other}/`],
    ['another host without a scheme', (other: string) => `//${other}/`],
    ['another host behind a user name', (other: string, host: string) => `http://${host}@${other}/`],
    ['the same host with a user name', (_other: string, host: string) => `http://user@${host}/`],
    ['a file', () => 'file:///etc/passwd'],
    ['nonsense', () => 'http://['],
  ])('to %s is told to the model and not followed', async (_what, to) => {
    const other = await loopback({ body: 'secret' });
    const answer = (self = '') => redirect(to(other.host, self));
    const { url, host, requests } = await loopback((request) => answer(request.headers.host));
    const error = await failureOf(send({ allow: [host] }, url));
    expect(error).toBeInstanceOf(ToolError);
    expect(error).toMatchObject({ message: expect.stringContaining(`${url}/ redirects to `) });
    expect([requests.length, other.requests.length]).toEqual([1, 0]);
  });

  it.each([
    [301, 'GET', '', undefined],
    [302, 'GET', '', undefined],
    [303, 'GET', '', undefined],
    [307, 'POST', 'hi', 'text/x'],
    [308, 'POST', 'hi', 'text/x'],
  ])('by %i makes a %s of a POST', async (status, method, body, type) => {
    const { url, host, requests } = await loopback(({ path }) =>
      path === '/b' ? {} : redirect('/b', status),
    );
    await send({ allow: [host] }, { url, method: 'POST', body: 'hi', headers: { 'content-type': 'text/x' } });
    expect(requests[1]).toMatchObject({ path: '/b', method, body });
    expect(requests[1]?.headers['content-type']).toBe(type);
  });

  it('takes credentials that the model gave to no other host', async () => {
    const target = await loopback({});
    const { url, host, requests } = await loopback(({ path }) => redirect(path === '/a' ? '/b' : target.url));
    const input = { url: `${url}/a`, headers: { authorization: 'Bearer 1', accept: 'a/b' } };
    await send({ allow: [host, target.host], allowHeaders: ['authorization', 'accept'] }, input);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 1']);
    expect(target.requests[0]?.headers.authorization).toBeUndefined();
    expect(target.requests[0]?.headers.accept).toBe('a/b');
  });

  it('takes the headers of the config to no host that is asked in clear, though the redirect says so', async () => {
    const asked: { url: string; key: string | null }[] = [];
    vi.stubGlobal('fetch', async (url: URL, init: RequestInit) => {
      asked.push({ url: url.href, key: new Headers(init.headers).get('authorization') });
      const headers = { location: 'http://api.example.com/in-clear' };
      return asked.length === 1 ? new Response(null, { status: 302, headers }) : new Response('ok');
    });
    const options = { allow: ['api.example.com'], headers: { authorization: 'Bearer 1' } };
    expect(await send(options, 'https://api.example.com/')).toBe('HTTP 200\n\nok');
    vi.unstubAllGlobals();
    expect(asked).toEqual([
      { url: 'https://api.example.com/', key: 'Bearer 1' },
      { url: 'http://api.example.com/in-clear', key: null },
    ]);
  });

  it('in a circle ends', async () => {
    const { url, host, requests } = await loopback(redirect('/again'));
    const error = await failureOf(send({ allow: [host] }, url));
    expect(error).toMatchObject({ name: 'ToolError', message: `${url}/ redirects more than 5 times.` });
    expect(requests).toHaveLength(6);
  });
});

describe('an answer that is an error', () => {
  it.each([400, 401, 403, 404, 422])(
    'is told to the model, with its beginning, for status %d',
    async (status) => {
      const { url, host } = await loopback({ status, body: `no${'.'.repeat(5000)}` });
      const error = await failureOf(send({ allow: [host] }, url));
      expect(error).toBeInstanceOf(ToolError);
      expect(error).toMatchObject({ message: expect.stringMatching(/^HTTP 4\d\d [\w ]+\n\nno\.{998}…$/) });
    },
  );

  it.each([
    [408, 'ToolTimeout'],
    [429, 'ToolRateLimited'],
    [500, 'ToolServerError'],
    [503, 'ToolServerError'],
  ])('is, for status %i, %s, to be tried again', async (status, name) => {
    const { url, host, requests } = await loopback({ status, body: 'busy', headers: { 'retry-after': '2' } });
    const error = await failureOf(send({ allow: [host] }, url));
    const message = expect.stringMatching(`^${url}/ answered HTTP ${status} .*: busy$`);
    expect(error).toMatchObject({ name, retryable: true, retryAfterMs: 2000, message });
    expect(requests).toHaveLength(1);
  });

  it('may be tried again where nobody listens', async () => {
    const host = await deadHost();
    const error = await failureOf(send({ allow: [host] }, `http://${host}/`));
    const message = expect.stringMatching(`^The connection to ${host} failed \\(ECONNREFUSED\\)`);
    expect(error).toMatchObject({ name: 'ToolConnectionError', retryable: true, message });
  });

  it('may be tried again where the connection breaks in the body', async () => {
    const { url, host } = await loopback({ body: 'ha', fault: 'break' });
    expect(await failureOf(send({ allow: [host] }, url))).toMatchObject({ name: 'ToolConnectionError' });
  });

  it('names a header of the config that cannot be sent, without its value', async () => {
    const { url, host } = await loopback({});
    const error = await failureOf(send({ allow: [host], headers: { authorization: 'a\nsecret' } }, url));
    expect(error).toMatchObject({ retryable: false, message: expect.stringContaining('"authorization"') });
    expect(String(error)).not.toContain('secret');
  });
});

it('the tool names its hosts and methods to the model, and takes another name and description', () => {
  const { name, description, inputSchema } = http({ allow: ['a.example', '*.b.example'] });
  expect(name).toBe('http');
  expect(description).toBe(
    "Sends an HTTP request (GET, POST) and gives the answer's text. Hosts: a.example, *.b.example.",
  );
  expect(inputSchema).toMatchObject({ required: ['url'], properties: { method: { enum: ['GET', 'POST'] } } });
  const named = http({
    allow: ['a.example'],
    name: 'Fetch',
    description: 'Gets a page.',
    onFailure: 'observe',
  });
  expect(named).toMatchObject({ name: 'Fetch', description: 'Gets a page.', onFailure: 'observe' });
});

function redirect(location: string, status = 302): LoopbackAnswer {
  return { status, headers: { location } };
}
