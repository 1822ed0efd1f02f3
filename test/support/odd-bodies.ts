import * as fc from 'fast-check';

/** Bodies of requests that are nearly right, and bodies that are not. */

const MEGABYTE = 1_000_000;
/** Names that every object has, or that change what every object has. */
export const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];

export const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('', ' ', '\0', '\ud800', '\udc00x', '\uFEFF', '../..', '💥', '%', ...NAMES),
  fc.constantFrom('x'.repeat(70_000), '\n'.repeat(3000)),
);
const values: fc.Arbitrary<unknown> = fc.oneof(
  texts,
  fc.double(),
  fc.constantFrom(-0, 1e308, -1, Number.MAX_SAFE_INTEGER, 2 ** 64, 1e-320, true, null, {}, []),
  fc.array(texts, { maxLength: 3 }),
  fc.dictionary(fc.oneof(texts, fc.constantFrom(...NAMES)), fc.anything(), { maxKeys: 3 }),
);

/** Right bodies, by the end of the path of the route. */
const RIGHT: readonly (readonly [end: string, body: object])[] = [
  [
    '/runs',
    { agent: 'clerk', input: 'what?', id: 'a', tags: ['eu'], variables: { a: 'b' }, context: { a: 1 } },
  ],
  [
    '/runs',
    {
      agent: 'clerk',
      input: [{ type: 'text', text: 'what?' }],
      chatHistory: [{ role: 'user', content: 'hi' }],
    },
  ],
  [
    '/runs',
    { agent: 'clerk', input: 'what?', maxIterations: 3, maxExecutionTime: 1000, budget: { totalTokens: 9 } },
  ],
  ['/decisions', { type: 'approve', call: '1.1', wait: 0, input: { a: 1 }, remember: 'tool' }],
  ['/messages', { message: 'hello' }],
  ['/extend', { iterations: 1, time: '10m', tokens: 9, cost: 0.5 }],
  ['/rewind', { step: 1 }],
  ['/fork', { step: 1, say: 'hello', edits: { '1.1': 'x' }, id: 'b', maxIterations: 3 }],
  ['/retry', { call: '1.1', input: { a: 1 } }],
  ['/deferred', { token: 'abc', output: { a: 1 } }],
  [
    '/chat/completions',
    { model: 'clerk', messages: [{ role: 'user', content: 'hi' }], stream: true, metadata: { a: 'b' } },
  ],
  [
    '/responses',
    { model: 'clerk', input: 'what?', stream: false, previous_response_id: 'a', conversation: { id: 'c' } },
  ],
  [
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'clerk', arguments: { input: 'what?' } } },
  ],
  [
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    },
  ],
  ['', { id: 'chat', messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'hi' }] }] }],
  ['', { threadId: 't', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'hi' }], resume: [] }],
];

const JUNK = [
  '[]',
  '1e999',
  '{"input":1e999}',
  '{"agent":"clerk","input":"\\ud800"}',
  '{"agent":"clerk","agent":1}',
  '{"__proto__":{"agent":"clerk"}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '['.repeat(20_000),
  `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`,
];

/** Bodies for the route: right but for a part or two, cut, of another kind, in another encoding, or very long. */
export function bodiesFor(path: string): fc.Arbitrary<Uint8Array> {
  const right = RIGHT.filter(([end]) => path.endsWith(end)).map(([, body]) => body);
  const odd = fc
    .tuple(fc.constantFrom(...right), fc.array(fc.tuple(fc.nat(), values), { maxLength: 2 }))
    .map(([body, changes]) => written(changes.reduce(changed, body)));
  const cut = fc.tuple(odd, fc.nat(40)).map(([text, chars]) => text.slice(0, -1 - chars));
  const text = fc.oneof(
    { weight: 10, arbitrary: odd },
    { weight: 1, arbitrary: cut },
    { weight: 1, arbitrary: texts },
    { weight: 1, arbitrary: fc.constantFrom(...JUNK) },
  );
  const long = fc
    .tuple(fc.constantFrom(...right), fc.nat())
    .map(([body, place]) => utf8(written(changed(body, [place, 'x'.repeat(MEGABYTE)]))));
  return fc.oneof(
    { weight: 30, arbitrary: text.map(utf8) },
    { weight: 3, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    { weight: 2, arbitrary: text.map((one) => new Uint8Array(Buffer.from(one, 'utf16le'))) },
    { weight: 1, arbitrary: long },
  );
}

/** The body with another value at one of its places. */
function changed(body: object, [place, value]: [number, unknown]): object {
  const copy = structuredClone(body);
  const places = placesIn(copy);
  places[place % places.length]?.(value);
  return copy;
}

/** Setters of all values in an object, and in what it has. */
function placesIn(value: object): ((value: unknown) => void)[] {
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => [
    (other: unknown) => void Object.assign(value, { [name]: other }),
    ...(typeof part === 'object' && part !== null ? placesIn(part) : []),
  ]);
}

/** JSON; null for a value that JSON has no words for. Unpaired surrogates stay as they are. */
function written(value: unknown): string {
  try {
    return JSON.stringify(value, (_name, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
  } catch {
    return 'null';
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
