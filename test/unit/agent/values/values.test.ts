import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sanitizeForTerminal } from '../../../../agent/text/sanitize.ts';
import { shownUrl } from '../../../../agent/text/shown-url.ts';
import { canonicalJson, fieldsOf, isObject } from '../../../../agent/values/json-object.ts';
import { limits } from '../../../../agent/values/limits.ts';
import { boundedText, fieldOf, finiteMs, plainJson } from '../../../../agent/values/values.ts';
import { noUsage } from '../../../../agent/values/vocabulary.ts';
import { finish } from '../../../../cli/follow/finish.ts';
import { thoughtIn } from '../../../../features/render/words/run-words.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { reportFrom } from '../../../support/report.ts';

/** Texts of any code units, halves of characters among them. */
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
});

const anyValue = fc.anything({
  key: anyText,
  values: [anyText, fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.constant(undefined)],
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withObjectString: true,
  withSparseArray: true,
  withTypedArray: true,
});

/** What says something else, or throws, when it is asked for anything. */
const refusing: [what: string, value: unknown][] = [
  ['an object without a prototype', Object.create(null)],
  ['a symbol', Symbol('s')],
  ['a proxy that refuses everything', refusingProxy()],
  ['a proxy that was revoked', revokedProxy()],
  ['a text form that throws', { toString: () => fail(), toJSON: () => fail() }],
];

describe('a text of at most so many characters', () => {
  test('is well-formed and bounded, whatever it is made of', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, anyValue), fc.integer({ min: 0, max: 50 }), (value, maxChars) => {
        const text = boundedText(value, maxChars);
        expect(text.isWellFormed()).toBe(true);
        expect(text.length).toBeLessThanOrEqual(maxChars + 40);
      }),
    );
  });

  test('stays as it is where it fits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (text) => {
        expect(boundedText(text, 100)).toBe(text);
      }),
    );
  });

  test.each(refusing)('can be made of %s', (_what, value) => {
    expect(typeof boundedText(value, 100)).toBe('string');
  });

  test('tells what was left out', () => {
    expect(boundedText('abcdef', 4)).toBe('abcd… (2 more characters)');
    expect(boundedText('abc😀', 4)).toBe('abc… (2 more characters)');
  });
});

describe('a value as plain JSON', () => {
  test('stays the same when it is written and read, and has no half of a character in it', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const json = plainJson(value);
        const text = JSON.stringify(json);
        expect(JSON.parse(text)).toStrictEqual(json);
        JSON.parse(text, (key, item: unknown) => {
          expect(key.isWellFormed() && (typeof item !== 'string' || item.isWellFormed())).toBe(true);
          return item;
        });
      }),
    );
  });

  test('is what it was if it was plain JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.stringify(plainJson(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  test.each<[what: string, value: unknown]>([
    ['a circle', circle()],
    ['too many levels', levels(limits.jsonDepth + 2)],
    ['more levels than a recursion can walk', levels(100_000)],
    ['a JSON form that throws', { toJSON: () => fail() }],
    ['a proxy that was revoked', revokedProxy()],
  ])('is refused by a TypeError: %s', (_what, value) => {
    expect(() => plainJson(value)).toThrow(TypeError);
  });

  test('may have as many levels as are allowed', () => {
    expect(() => plainJson(levels(limits.jsonDepth))).not.toThrow();
  });
});

test('milliseconds are a whole number from 0 on, or none', () => {
  fc.assert(
    fc.property(fc.oneof(fc.double(), anyValue), (value) => {
      const ms = finiteMs(value) ?? 0;
      expect(Number.isInteger(ms) && ms >= 0).toBe(true);
    }),
  );
  const none = [NaN, Infinity, -1, '5'].filter((value) => finiteMs(value) !== undefined);
  expect([none, finiteMs(1.2)]).toEqual([[], 2]);
});

test.each(refusing)('%s can be asked for a field', (_what, value) => {
  expect(fieldOf(value, 'message')).toBe(undefined);
});

function circle(): unknown {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}

function levels(count: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < count; level++) value = [value];
  return value;
}

function refusingProxy(): unknown {
  return new Proxy({}, { get: fail, getPrototypeOf: fail, has: fail, ownKeys: fail });
}

function revokedProxy(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function fail(): never {
  throw new Error('not for you');
}

describe('canonical JSON', () => {
  test('is the same for objects whose fields were written in another order, however deep they lie', () => {
    const one = ['t', { b: [{ y: 1, x: 'é' }], a: null }];
    const other = ['t', { a: null, b: [{ x: 'é', y: 1 }] }];
    expect(canonicalJson(one)).toBe('["t",{"a":null,"b":[{"x":"é","y":1}]}]');
    expect(canonicalJson(other)).toBe(canonicalJson(one));
  });

  test('keeps the order of a list, and leaves fields without a value out', () => {
    expect(canonicalJson([2, 1, { a: undefined }])).toBe('[2,1,{}]');
  });
});

test.each([null, undefined, 'text', 1, true, [1]])('%j is not an object and has no fields', (value) => {
  expect(isObject(value)).toBe(false);
  expect(fieldsOf(value)).toEqual({});
});

test('an object has its fields', () => {
  expect(isObject({ a: 1 })).toBe(true);
  expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
});

const title = '\u001b]0;owned\u0007';

/** What `reloop run` and `watch` do with an answer. */
async function printed(output: string, terminal: boolean): Promise<string> {
  const io = fakeIo({ terminal });
  const report = { ...reportFrom('a', 'r'), status: 'completed', output } as const;
  const run = { id: 'a', describe: () => Promise.resolve(report) };
  await finish(io, run, { type: 'ended', report, error: undefined }, 'answer');
  return io.out();
}

describe('words of models and tools', () => {
  test('bring no terminal codes into an answer on a terminal', async () => {
    expect(await printed(`${title}55`, true)).toBe('\ufffd]0;owned\ufffd55\n');
  });

  test('go into a pipe as they are', async () => {
    expect(await printed(`${title}55`, false)).toBe(`${title}55\n`);
  });

  test('neither turn the order of a line around nor hold codes above 127', () => {
    expect(sanitizeForTerminal('a\u202eb\u2066c\u2069d\u009be')).toBe('a\ufffdb\ufffdc\ufffdd\ufffde');
  });

  test('may have 400,000 blanks after the word Action: the thought is found', () => {
    const text = `I wonder. Action ${' '.repeat(400_000)}x`;
    const decision = { type: 'finish', output: 'other' } as const;
    const turn = { digest: '', text, decision, finishReason: 'stop', usage: noUsage, request: '' } as const;
    expect(thoughtIn(turn)).toContain('I wonder. Action');
  });
});

test.each([
  ['http://bob:secret@127.0.0.1:9/v1?key=secret#secret', 'http://127.0.0.1:9/v1'],
  ['https://example.com', 'https://example.com/'],
  ['127.0.0.1/v1?key=secret', 'the given URL'],
  ['', 'the given URL'],
])('%s is shown as %s', (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});
