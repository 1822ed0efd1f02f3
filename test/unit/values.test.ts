import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../agent/limits.ts';
import { boundedText, fieldOf, finiteMs, plainJson } from '../../agent/values.ts';

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

  test('that fits stays as it is', () => {
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
  expect([NaN, Infinity, -1, '5', 1.2].map(finiteMs)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    2,
  ]);
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
