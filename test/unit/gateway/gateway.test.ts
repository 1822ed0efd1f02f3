import { Client, Connection } from '@temporalio/client';
import { afterAll, describe, expect, test } from 'vitest';
import { AgentClient } from '../../../client/api/agent-client.ts';
import { type Caller, byToken } from '../../../gateway/http/caller.ts';
import { type GatewayOptions, createGateway } from '../../../gateway/gateway.ts';
import { TELLTALE, answerOf, oddRequests, routesOf } from '../../support/odd-requests.ts';
import { createRateLimit } from '../../../gateway/http/rate-limit.ts';

/** Nobody listens at the address, and nothing is tried twice. */
const deaf = new Client({ connection: Connection.lazy({ address: '127.0.0.1:1', interceptors: [] }) });
const client = new AgentClient(deaf, '127.0.0.1:1', 'reloop');
afterAll(() => deaf.connection.close());

const TOKEN = 'a-token-of-a-test';
const bearer = { authorization: `Bearer ${TOKEN}` };
const ask = (options: GatewayOptions, path: string, init: RequestInit = {}) =>
  createGateway(client, options).fetch(new Request(`http://localhost${path}`, init));

describe('options', () => {
  test.each<[string, GatewayOptions]>([
    ['nobody may come in', {}],
    ['there are two ways in', { open: true, tokens: [] }],
  ])('are refused if %s', (_why, options) => {
    expect(() => createGateway(client, options)).toThrow('give one of tokens, authenticate, and open');
  });

  test.each<[string, object, string]>([
    [
      'a token is short',
      { token: 'short', name: 'a', scopes: [] },
      'The token of a has fewer than 16 characters',
    ],
    ['a caller has no name', { token: TOKEN }, 'A caller has no name'],
    [
      'a tenant has a dot',
      { token: TOKEN, name: 'a', tenant: 'x.y', scopes: [] },
      'The tenant of a has to be',
    ],
    ['a scope is unknown', { token: TOKEN, name: 'a', scopes: ['all'] }, 'The scopes of a have to be'],
  ])('are refused if %s', (_why, caller, sentence) => {
    expect(() => byToken([caller as never])).toThrow(sentence);
  });

  test("a caller of `authenticate` is checked too, and the fault is not the sender's", async () => {
    const errors: unknown[] = [];
    const authenticate = () => ({ name: '', scopes: [] }) as Caller;
    const onError = (error: unknown) => errors.push(error);
    const { status } = await ask({ authenticate, onError }, '/runs');
    expect([status, errors]).toEqual([500, [expect.any(Error)]]);
  });
});

test('the gateway is mounted under a path', async () => {
  const { status } = await ask({ open: true, basePath: '/api/reloop' }, '/api/reloop/agents');
  expect(status).toBe(200);
});

test('errors of Temporal are told as they are, and unknown errors are told to the operator only', async () => {
  const unreachable = await ask({ open: true }, '/runs/r1');
  await expect(unreachable.json()).resolves.toMatchObject({ status: 503, code: 'TemporalUnreachable' });
  const errors: unknown[] = [];
  const authenticate = () => Promise.reject(new Error('the database password is 1234'));
  const broken = await ask({ authenticate, onError: (error) => errors.push(error) }, '/runs');
  const text = await broken.text();
  expect([broken.status, errors]).toEqual([500, [expect.any(Error)]]);
  expect(text).not.toContain('1234');
});

test('a body that is too large is refused', async () => {
  const body = JSON.stringify({ agent: 'a', input: 'x'.repeat(100) });
  const { status } = await ask({ open: true, bodyBytes: 50 }, '/runs', { method: 'POST', body });
  expect(status).toBe(413);
});

test('pages of listed origins may ask, and no others', async () => {
  const options = {
    tokens: [{ token: TOKEN, name: 'a', scopes: ['admin' as const] }],
    origins: ['https://app.example.com'],
  };
  const allowed = async (origin: string) => {
    const { headers } = await ask(options, '/agents', { headers: { origin, ...bearer } });
    return headers.get('access-control-allow-origin');
  };
  await expect(allowed('https://app.example.com')).resolves.toBe('https://app.example.com');
  await expect(allowed('https://other.example.com')).resolves.toBeNull();
});

test.each([
  ['cross-site', 'https://other.example.com', 'POST', 403],
  ['same-site', 'http://localhost:3000', 'POST', 403],
  ['cross-site', 'null', 'DELETE', 403],
  ['cross-site', 'https://app.example.com', 'POST', 404],
  ['same-origin', 'http://localhost', 'POST', 404],
  ['cross-site', 'https://other.example.com', 'GET', 404],
])('a browser asks %s, from %s, with %s: %i', async (site, origin, method, expected) => {
  const options = { open: true, origins: ['https://app.example.com'] };
  const { status } = await ask(options, '/x', { method, headers: { 'sec-fetch-site': site, origin } });
  expect(status).toBe(expected);
});

test.each([
  ['http://localhost:8700', 404],
  ['http://[::1]', 404],
  ['http://rebound.example.com:8700', 403],
])('a gateway with names of its own is asked as %s: %i', async (origin, expected) => {
  const gateway = createGateway(client, { open: true, hosts: ['localhost', '[::1]'] });
  const { status } = await gateway.fetch(new Request(`${origin}/x`));
  expect(status).toBe(expected);
});

test.each(['', '/api/reloop'])(
  'the inbox is at %j and below, for everybody, and loads only from there',
  async (basePath) => {
    const options = { tokens: [{ token: TOKEN, name: 'a', scopes: ['admin' as const] }], basePath };
    const page = await ask(options, `${basePath}/`);
    const [html, policy] = [await page.text(), page.headers.get('content-security-policy')];
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    const files = [...html.matchAll(/(?:href|src)="(\/[^"]+)"/gu)].map(([, path = '']) => path);
    expect(files).toHaveLength(3);
    for (const file of [basePath || '/', ...files]) expect((await ask(options, file)).status).toBe(200);
  },
);

describe('a rate limit', () => {
  test('fills up over a minute, for each caller', () => {
    const waitSeconds = createRateLimit(2);
    expect([0, 0, 0].map((at) => waitSeconds('a', at))).toEqual([0, 0, 30]);
    expect(waitSeconds('b', 0)).toBe(0);
    expect([30_000, 30_000, 600_000, 600_000, 600_000].map((at) => waitSeconds('a', at))).toEqual([
      0, 30, 0, 0, 30,
    ]);
  });

  test('is told to the caller', async () => {
    const gateway = createGateway(client, { open: true, requestsPerMinute: 1 });
    const asked = () => gateway.fetch(new Request('http://localhost/agents'));
    expect((await asked()).status).toBe(200);
    const refused = await asked();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  });
});

test('no request makes the gateway fail, or tells where its code is', async () => {
  const errors: unknown[] = [];
  const gateway = createGateway(client, {
    tokens: [{ token: TOKEN, name: 'a', tenant: 't', scopes: ['admin'] }],
    requestsPerMinute: Number.MAX_SAFE_INTEGER,
    onError: (error) => errors.push(error),
  });
  const routes = await routesOf(gateway, bearer);
  const bad: object[] = [];
  for (const request of oddRequests(routes, 500, 1)) {
    const { status, text } = await answerOf(gateway, request, TOKEN);
    if (status === 500 || TELLTALE.test(text)) bad.push({ request, status, text });
  }
  expect({ bad, errors }).toEqual({ bad: [], errors: [] });
});
