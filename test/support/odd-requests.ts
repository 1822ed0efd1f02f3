import * as fc from 'fast-check';
import type { Gateway } from '../../gateway/gateway.ts';
import { protocols } from '../../gateway/protocols.ts';
import { NAMES, bodiesFor, texts } from './odd-bodies.ts';

/** Requests that no client sends, for every route that a gateway has. */
export interface OddRequest {
  method: string;
  path: string;
  headers: [string, string][];
  body: Uint8Array | undefined;
}

/** A route, with names in braces: `/runs/{id}`. */
interface KnownRoute {
  method: string;
  path: string;
}

/** The routes of this gateway, as it lists them, and those of its protocols. */
export async function routesOf(gateway: Gateway, headers: { [name: string]: string }): Promise<KnownRoute[]> {
  const response = await gateway.fetch(new Request('http://gateway/openapi.json', { headers }));
  const { paths } = (await response.json()) as { paths: { [path: string]: { [method: string]: unknown } } };
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  const spoken = protocols.flatMap(({ prefix, routes }) =>
    routes.map(({ method, path }) => ({
      method: method.toUpperCase(),
      path: (prefix + path).replace(/:(\w+)/gu, '{$1}'),
    })),
  );
  const own = ['/health', '/openapi.json'].map((path) => ({ method: 'GET', path }));
  const files = /\.(?:js|css)$/u;
  return [...listed, ...spoken, ...own].filter(({ path }) => !files.test(path));
}

const segments = fc.oneof(
  { weight: 3, arbitrary: fc.constant('t.run') },
  texts.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom(
    't.run',
    'other.run',
    '%00',
    '%ff',
    '%E0%A4%A',
    '%2F..%2F',
    '.',
    '..',
    'a'.repeat(2000),
    '',
  ),
);
const headerTexts = fc.oneof(
  fc.string({ unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)) }),
  fc.constantFrom('', '0', '-1', 'r:1:2', 'x'.repeat(8000), ...NAMES),
);
const types = fc.constantFrom(
  ...Array<string>(30).fill('application/json'),
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
  'application/x-www-form-urlencoded',
  'application/problem+json',
  '',
  ';',
);
const headers = fc
  .tuple(
    types,
    fc.dictionary(
      fc.constantFrom(
        'last-event-id',
        'idempotency-key',
        'content-encoding',
        'accept',
        'accept-encoding',
        'origin',
        'range',
        'mcp-session-id',
        'mcp-protocol-version',
        'x-forwarded-for',
        'x-http-method-override',
        'if-none-match',
      ),
      headerTexts,
      { maxKeys: 3 },
    ),
  )
  .map(([type, others]): [string, string][] => [['content-type', type], ...Object.entries(others)]);

const queries = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  {
    weight: 4,
    arbitrary: fc
      .dictionary(
        fc.constantFrom(
          'limit',
          'page',
          'status',
          'tag',
          'since',
          'until',
          'text',
          'agent',
          'session',
          'after',
          'subAgents',
          'starting_after',
          'stream',
          'include',
          ...NAMES,
        ),
        fc.oneof(
          texts,
          fc.constantFrom('1e309', '-1', '99999999999999999999', 'true', 'waiting', '2026-01-01'),
        ),
        { maxKeys: 3 },
      )
      .map(
        (fields) =>
          `?${Object.entries(fields)
            .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
            .join('&')}`,
      ),
  },
  { weight: 1, arbitrary: fc.webQueryParameters().map((text) => `?${text}`) },
);

/** So many requests, the same for the same seed. */
export function oddRequests(routes: readonly KnownRoute[], count: number, seed: number): OddRequest[] {
  const known = fc.constantFrom(...routes).chain(({ method, path }) =>
    fc.record({
      method: fc.nat(9).chain((odds) => (odds > 0 ? fc.constant(method) : methods)),
      path: fc
        .array(segments, { minLength: 3, maxLength: 3 })
        .map((found) => path.replace(/\{\w+\}/gu, () => found.pop() ?? '')),
      body: bodiesFor(path),
    }),
  );
  const unknown = fc.record({
    method: methods,
    path: fc.webPath().map((path) => `/${path}`),
    body: bodiesFor(''),
  });
  const request = fc
    .tuple(fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: unknown }), queries, headers)
    .map(([{ method, path, body }, query, named]): OddRequest => ({
      method,
      path: path + query,
      headers: named,
      body: ['GET', 'HEAD'].includes(method) ? undefined : body,
    }));
  return fc.sample(request, { numRuns: count, seed });
}

const methods = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND');

/** The answer to a request: its status and text. Of a stream only the beginning is read. */
export async function answerOf(
  gateway: Gateway,
  { method, path, headers: named, body }: OddRequest,
  token: string,
): Promise<{ status: number; text: string }> {
  const left = new AbortController();
  const request = new Request(`http://gateway${path}`, {
    method,
    headers: [...named, ['authorization', `Bearer ${token}`]],
    signal: left.signal,
    ...(body === undefined ? {} : { body }),
  });
  const response = await gateway.fetch(request);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (!isStream) return { status: response.status, text: await response.text() };
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader(); // as all bodies
  const first = await reader?.read();
  left.abort();
  await reader?.cancel();
  return { status: response.status, text: new TextDecoder().decode(first?.value) };
}

/** Text that tells where the code of the gateway is, or what it is. */
export const TELLTALE = new RegExp(`node_modules|file://|\\b\\w+\\.[tj]s:\\d+| {4}at |${process.cwd()}`, 'u');
