import { describe, expect, test } from 'vitest';
import { canonicalJson, fieldsOf, isObject } from '../../agent/json-object.ts';

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

test.each([null, undefined, 'text', 1, true, [1]])('%j is no object and has no fields', (value) => {
  expect(isObject(value)).toBe(false);
  expect(fieldsOf(value)).toEqual({});
});

test('an object has its fields', () => {
  expect(isObject({ a: 1 })).toBe(true);
  expect(fieldsOf({ a: 1 })).toEqual({ a: 1 });
});
