import { Client, Connection } from '@temporalio/client';
import { afterAll, describe, expect, test } from 'vitest';
import { AgentClient } from '../../../../client/api/agent-client.ts';
import { RunNotFound } from '../../../../client/connect/errors.ts';
import { tokenOf } from '../../../../cli/connection/token.ts';
import { type GatewayOptions, createGateway } from '../../../../gateway/gateway.ts';
import { type TokenCaller, byToken } from '../../../../gateway/http/caller.ts';
import { closedAtEnd, createOpenCount } from '../../../../gateway/http/open-count.ts';
import { problemOf } from '../../../../gateway/http/problem.ts';
import { createProbe } from '../../../../gateway/http/temporal-answers.ts';
import { checkImageUrls } from '../../../../gateway/start/image-hosts.ts';
import { routesOf } from '../../../support/odd-requests.ts';

/** Requests that a gateway refuses or bounds before Temporal is asked. Nobody listens at the address. */
const deaf = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1', interceptors: [] }) });
const client = new AgentClient(deaf, '127.0.0.1:1', 'reloop');
afterAll(() => deaf.connection.close());

const TOKEN = 'a-token-of-a-test';
const tokens: TokenCaller[] = [{ token: TOKEN, name: 'a', scopes: ['admin'] }];
const bearer = { authorization: `Bearer ${TOKEN}` };
const ask = (options: GatewayOptions, url: string, init: RequestInit = {}) =>
  createGateway(client, options).fetch(new Request(url, init));

describe('a browser that does not say where a page is from', () => {
  test.each([
    ['http://gateway:8700', 404],
    ['https://gateway:8700', 404],
    ['https://app.example.com', 404],
    ['https://evil.example', 403],
    ['http://gateway:9999', 403],
    ['null', 403],
    ['', 403],
  ])('may send what a page of origin %j asks for: %i', async (origin, expected) => {
    const options = { tokens, origins: ['https://app.example.com'] };
    const headers = { origin, ...bearer };
    const { status } = await ask(options, 'http://gateway:8700/x', { method: 'POST', headers });
    expect(status).toBe(expected);
  });

  test('may read for any page, which does not get the answer', async () => {
    const headers = { origin: 'https://evil.example', ...bearer };
    const { status } = await ask({ tokens }, 'http://gateway/agents', { headers });
    expect(status).toBe(200);
  });
});

test.each([
  ['http://localhost:8700/x', {}, 404],
  ['http://127.0.0.1/x', {}, 404],
  ['http://[::1]/x', {}, 404],
  ['http://rebound.example/x', {}, 403],
  ['http://rebound.example/x', { hosts: ['rebound.example'] }, 404],
])('an open gateway is asked at %s with %j: %i', async (url, options, expected) => {
  const { status } = await ask({ open: true, ...options }, url);
  expect(status).toBe(expected);
});

test('JSON that is nested deep is refused by every route that takes a body', async () => {
  const gateway = createGateway(client, { tokens, agents: [{ name: 'a' }] });
  const routes = (await routesOf(gateway, bearer)).filter(({ method }) => method === 'POST');
  expect(routes.length).toBeGreaterThan(15);
  const deep = (levels: number) => '['.repeat(levels) + '"["' + ']'.repeat(levels);
  for (const { path } of routes) {
    const body = `{"context":${deep(60_000)}}`;
    const headers = { ...bearer, 'content-type': 'application/json' };
    const request = new Request(`http://gateway${path.replaceAll(/\{\w+\}/gu, 'a')}`, {
      method: 'POST',
      headers,
      body,
    });
    const response = await gateway.fetch(request);
    expect(`${path} ${response.status} ${await response.text()}`).toContain(`${path} 400 `);
  }
});

test('a context is nested at most 500 levels', async () => {
  const nested = (levels: number) => JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels)) as object;
  const { status } = await ask({ tokens }, 'http://gateway/runs', {
    method: 'POST',
    headers: { ...bearer, 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'a', input: 'x', context: nested(510) }),
  });
  expect(status).toBe(400);
  await expect(client.start('a', 'x', { context: nested(9_000) as never })).rejects.toMatchObject({
    name: 'InvalidInput',
  });
});

test('an answer of JSON is neither kept nor guessed to be something else', async () => {
  for (const path of ['agents', 'nowhere', 'runs/%00', 'openapi.json']) {
    const { headers } = await ask({ tokens }, `http://gateway/${path}`, { headers: bearer });
    expect([path, headers.get('x-content-type-options'), headers.get('cache-control')]).toEqual([
      path,
      'nosniff',
      'no-store',
    ]);
  }
});

test('callers are not told to type a command', () => {
  expect(problemOf(new RunNotFound('r')).detail).toBe('There is no run "r".');
  expect(new RunNotFound('r').message).toContain('reloop list');
});

describe('tokens', () => {
  test.each<[string, unknown[], string]>([
    ['there are none', [], 'The list of tokens is empty'],
    ['an entry is null', [null], 'Entry 1 of the tokens is null'],
    ['an entry is a text', [...tokens, TOKEN], 'Entry 2 of the tokens is "a-token-of-a-test"'],
    [
      'two callers have one',
      [...tokens, { token: TOKEN, name: 'b', scopes: ['admin'] }],
      'a and b have the same token',
    ],
    ['one has a space', [{ token: 'a token with a space', name: 'a' }], 'The token of a has a space'],
    ['one has an umlaut', [{ token: 'ein-täuschend-langes', name: 'a' }], 'The token of a has a space, or'],
  ])('are refused if %s', (_why, callers, sentence) => {
    expect(() => byToken(callers as TokenCaller[])).toThrow(sentence);
  });

  test.each(['RELOOP_CODEC_TOKEN', 'RELOOP_GATEWAY_TOKEN'])('of %s are long, and one word', (name) => {
    expect(() => tokenOf({ [name]: 'x' }, name)).toThrow(`${name} has fewer than 16 characters`);
    expect(() => tokenOf({ [name]: 'a token with a space' }, name)).toThrow(`${name} has a space`);
    expect(tokenOf({ [name]: TOKEN }, name)).toBe(TOKEN);
    expect(tokenOf({}, name)).toMatch(/^[\da-f]{32}$/u);
  });
});

describe('the URL of an image', () => {
  const check = (image: string, hosts?: string[]) =>
    checkImageUrls(
      [
        { type: 'text', text: 'What is it?' },
        { type: 'image', image },
      ],
      hosts,
    );

  test.each([
    'https://127.0.0.1/a.png',
    'https://2130706433/a.png',
    'https://0x7f.1/a.png',
    'https://127.0.0.1./a.png',
    'https://10.1.2.3/a.png',
    'https://172.31.0.1/a.png',
    'https://192.168.1.1/a.png',
    'https://169.254.169.254/latest/meta-data',
    'https://100.100.100.200/a.png',
    'https://0.0.0.0/a.png',
    'https://[::1]/a.png',
    'https://[::]/a.png',
    'https://[::ffff:127.0.0.1]/a.png',
    'https://[64:ff9b::a00:1]/a.png',
    'https://[fe80::1]/a.png',
    'https://[fd00:ec2::254]/a.png',
    'https://localhost/a.png',
    'https://LOCALHOST./a.png',
    'https://api.localhost/a.png',
    'https://printer.local/a.png',
    'https://metadata.google.internal/a.png',
    'https://intranet/a.png',
    ' https://127.0.0.1/a.png',
    'https://user:pw@images.example.com/a.png',
    'https://user@images.example.com/a.png',
  ])('is refused for %s', (image) => {
    expect(() => check(image)).toThrow(/Send the image itself/u);
  });

  test('may be any of the internet, or one of the hosts that are listed', () => {
    check('https://images.example.com/a.png');
    check('https://[2606:4700::1111]/a.png');
    check('https://8.8.8.8/a.png');
    check('data:image/png;base64,iVBORw0KGgo=');
    check('https://images.example.com/a.png', ['images.example.com']);
    check('https://10.1.2.3/a.png', ['10.1.2.3']);
    expect(() => check('https://other.example.com/a.png', ['images.example.com'])).toThrow('Send the image');
    expect(() => check('https://images.example.com/a.png', [])).toThrow('Send the image');
  });
});

describe('requests that are open at the same time', () => {
  test('are counted for each caller, and a request ends once', () => {
    const open = createOpenCount(2);
    const [first, second] = [open('a'), open('a')];
    expect([first, second, open('b')]).not.toContain(undefined);
    expect(open('a')).toBeUndefined();
    first?.();
    first?.();
    expect(open('a')).toBeDefined();
    expect(open('a')).toBeUndefined();
  });

  test('are open while their stream is read', async () => {
    const closed: string[] = [];
    const streamOf = (name: string) =>
      closedAtEnd(new Response('data: 1\n\n', { headers: { 'content-type': 'text/event-stream' } }), () =>
        closed.push(name),
      );
    const [read, left] = [streamOf('read'), streamOf('left')];
    closedAtEnd(Response.json({}), () => closed.push('json'));
    expect(closed).toEqual(['json']);
    expect(await read.text()).toBe('data: 1\n\n');
    await left.body?.cancel();
    expect(closed).toEqual(['json', 'read', 'left']);
  });
});

test('probes of a second are one question', async () => {
  let [asked, now] = [0, 5000];
  const probe = createProbe(
    async () => ++asked > 1,
    () => now,
  );
  expect([await probe(), await probe()]).toEqual([false, false]);
  now += 1000;
  expect([await probe(), asked]).toEqual([true, 2]);
});
