import { expect, test } from 'vitest';
import type { JsonSchema } from '../../../../agent/definition/manifest.ts';
import { narrowing } from '../../../../agent/rules/narrower-schema.ts';

const object = (properties: { [name: string]: JsonSchema }, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  ...more,
});
const text: JsonSchema = { type: 'string' };
const number: JsonSchema = { type: 'number' };
const a = object({ a: text });

test.each<[string, JsonSchema | null, JsonSchema | null]>([
  ['the same', a, a],
  ['two plain strings', null, null],
  ['a field in place of a plain string', null, object({ a: text }, { required: ['a'] })],
  ['a plain string in place of one field', a, null],
  ['another field that may be left out', a, object({ a: text, b: text })],
  ['a field that is not needed any more', object({ a: text }, { required: ['a'] }), a],
  ['a number in place of a whole number', object({ n: { type: 'integer' } }), object({ n: number })],
  ['a further type', a, object({ a: { type: ['string', 'null'] } })],
  ['further values', object({ a: { enum: ['x'] } }), object({ a: { enum: ['x', 'y'] } })],
  ['a wider range', object({ n: { ...number, maximum: 5 } }), object({ n: { ...number, maximum: 9 } })],
  ['another description', a, object({ a: { ...text, description: 'new' } })],
  ['a field that is ignored', object({ a: text, b: text }), a],
])('an input still fits: %s', (_, before, after) => {
  expect(narrowing(before, after)).toBeUndefined();
});

test.each<[string, JsonSchema | null, JsonSchema | null]>([
  ['takes one string', object({ a: text, b: text }), null],
  [
    'takes no plain string: b is missing; it takes a, b',
    null,
    object({ a: text, b: text }, { required: ['a', 'b'] }),
  ],
  ['needs b', a, object({ a: text, b: text }, { required: ['b'] })],
  ['needs a', a, object({ a: text }, { required: ['a'] })],
  ['takes a as number, and no more as string', a, object({ a: number })],
  ['takes a as string, and no more as anything', object({ a: {} }), a],
  ['takes n as integer, and no more as number', object({ n: number }), object({ n: { type: 'integer' } })],
  [
    'takes b no more',
    object({ a: text, b: text }, { additionalProperties: false }),
    { ...a, additionalProperties: false },
  ],
  ['takes "y" no more for a', object({ a: { enum: ['x', 'y'] } }), object({ a: { enum: ['x'] } })],
  ['takes only "x" for a', a, object({ a: { ...text, enum: ['x'] } })],
  ['has the `maximum` 5 for n', object({ n: number }), object({ n: { ...number, maximum: 5 } })],
  [
    'has the `minLength` 2 for a',
    object({ a: { ...text, minLength: 1 } }),
    object({ a: { ...text, minLength: 2 } }),
  ],
  ['has the `pattern` "^x" for a', a, object({ a: { ...text, pattern: '^x' } })],
  ['needs a.c', object({ a: object({}) }), object({ a: object({ c: text }, { required: ['c'] }) })],
  [
    'takes a[] as number, and no more as string',
    object({ a: { type: 'array', items: text } }),
    object({ a: { type: 'array', items: number } }),
  ],
  [
    'has another `anyOf` for a, which may not take the same inputs',
    object({ a: { anyOf: [text] } }),
    object({ a: { anyOf: [number] } }),
  ],
])('an input may not fit: %s', (clause, before, after) => {
  expect(narrowing(before, after)).toBe(clause);
});
