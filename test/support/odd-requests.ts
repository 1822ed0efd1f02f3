import * as fc from 'fast-check';
import type { Gateway } from '../../gateway/gateway.ts';
import { protocols } from '../../gateway/protocols.ts';

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

const MEGABYTE = 1_000_000;

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
  return [...listed, ...spoken, { method: 'GET', path: '/health' }, { method: 'GET', path: '/openapi.json' }];
}

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '\udc00x',
    '\uFEFF',
    '../..',
    'x'.repeat(70_000),
    '💥',
    '%',
    ...NAMES,
  ),
);
const numbers = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(-0, 1e308, -1e308, Number.MAX_SAFE_INTEGER, 2 ** 64, 1e-320),
);
const values: fc.Arbitrary<unknown> = fc.oneof(
  texts,
  numbers,
  fc.boolean(),
  fc.constant(null),
  fc.array(texts, { maxLength: 3 }),
  fc.dictionary(fc.oneof(texts, fc.constantFrom(...NAMES)), fc.anything(), { maxKeys: 3 }),
  fc.constantFrom({ type: 'text', text: 'x' }, [{ role: 'user', content: 'x' }], { $ref: '#' }),
);

/** Fields that routes know, so that some bodies get past the first check. */
const FIELDS = [
  ...[
    'agent',
    'input',
    'id',
    'session',
    'chatHistory',
    'variables',
    'model',
    'maxIterations',
    'budget',
    'context',
  ],
  ...[
    'tags',
    'type',
    'call',
    'wait',
    'output',
    'reason',
    'remember',
    'token',
    'message',
    'iterations',
    'time',
  ],
  ...[
    'tokens',
    'cost',
    'step',
    'say',
    'edits',
    'messages',
    'stream',
    'previous_response_id',
    'metadata',
    'tools',
  ],
  ...['jsonrpc', 'method', 'params', 'threadId', 'runId', 'state', 'forwardedProps', 'trigger', ...NAMES],
];
const nearlyRight = fc.oneof(
  fc.record(
    { agent: fc.constantFrom('clerk', 'other'), input: values, id: values },
    { requiredKeys: ['agent'] },
  ),
  fc.record({ type: fc.constantFrom('approve', 'retry', 'resolve', 'abort'), call: values, wait: values }),
  fc.record({
    model: fc.constantFrom('clerk', 'other'),
    messages: fc.array(values),
    input: values,
    stream: values,
  }),
  fc.record({
    jsonrpc: fc.constant('2.0'),
    id: values,
    method: fc.constantFrom('initialize', 'tools/call'),
    params: values,
  }),
  fc.dictionary(fc.constantFrom(...FIELDS), values, { maxKeys: 6 }),
);
const json = nearlyRight.map((value) => written(value));
const bodies = fc.oneof(
  { weight: 8, arbitrary: json },
  { weight: 2, arbitrary: fc.tuple(json, fc.nat(40)).map(([text, cut]) => text.slice(0, -1 - cut)) },
  { weight: 2, arbitrary: texts },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '[]',
      '1e999',
      '{"input":1e999}',
      '{"agent":"clerk","input":"\\ud800"}',
      '{"agent":"clerk","agent":1}',
      '{"__proto__":{"agent":"clerk"}}',
      '{"constructor":{"prototype":{"admin":true}}}',
      `${'['.repeat(20_000)}`,
      `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
    ),
  },
);
const encodedBodies: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 20, arbitrary: bodies.map((text) => new TextEncoder().encode(text)) },
  { weight: 3, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 2, arbitrary: bodies.map((text) => new Uint8Array(Buffer.from(text, 'utf16le'))) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('agent', 'input', 'id', 'message')
      .map((name) =>
        new TextEncoder().encode(JSON.stringify({ agent: 'clerk', [name]: 'x'.repeat(MEGABYTE) })),
      ),
  },
);

const segments = fc.oneof(
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
  ...['application/json', 'application/json', 'application/json', 'application/json; charset=utf-16'],
  ...[
    'text/plain',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    'application/problem+json',
    '',
    ';',
  ],
);
const headers = fc
  .tuple(
    types,
    fc.dictionary(
      fc.constantFrom(
        ...[
          'last-event-id',
          'idempotency-key',
          'content-encoding',
          'accept',
          'accept-encoding',
          'origin',
          'range',
        ],
        ...[
          'mcp-session-id',
          'mcp-protocol-version',
          'x-forwarded-for',
          'x-http-method-override',
          'if-none-match',
        ],
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
          ...[
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
          ],
          ...['starting_after', 'stream', 'include', ...NAMES],
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
  const known = fc
    .tuple(
      fc.constantFrom(...routes),
      fc.array(segments, { minLength: 3, maxLength: 3 }),
      fc.boolean(),
      methods,
    )
    .map(([{ method, path }, found, isRight, other]) => {
      let next = 0;
      return {
        method: isRight ? method : other,
        path: path.replace(/\{\w+\}/gu, () => found[next++] ?? ''),
      };
    });
  const unknown = fc.tuple(methods, fc.webPath()).map(([method, path]) => ({ method, path: `/${path}` }));
  const request = fc
    .tuple(
      fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: unknown }),
      queries,
      headers,
      encodedBodies,
    )
    .map(([{ method, path }, query, named, body]): OddRequest => ({
      method,
      path: path + query,
      headers: named,
      body: ['GET', 'HEAD'].includes(method) ? undefined : body,
    }));
  return fc.sample(request, { numRuns: count, seed });
}

const methods = fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND');

/** Any value as JSON; a value that JSON has no words for is left out. */
function written(value: unknown): string {
  try {
    return (
      JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ??
      'null'
    );
  } catch {
    return 'null';
  }
}

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
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  left.abort();
  await reader?.cancel();
  return { status: response.status, text: new TextDecoder().decode(value) };
}

/** Text that tells where the code of the gateway is, or what it is. */
export const TELLTALE = new RegExp(`node_modules|file://|\\b\\w+\\.[tj]s:\\d+| {4}at |${process.cwd()}`, 'u');
