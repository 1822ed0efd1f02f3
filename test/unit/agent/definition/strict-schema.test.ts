import { describe, expect, test } from 'vitest';
import { z } from 'zod/v4';
import { strictProblem } from '../../../../agent/definition/strict-schema.ts';
import type { Json } from '../../../../agent/values/vocabulary.ts';
import { jsonSchemaOf } from '../../../../adapters/tools/zod-schema.ts';

const line = z.object({ name: z.string().min(1), price: z.number().positive() });
const tree: z.ZodType = z.lazy(() => z.object({ value: z.int(), parts: z.array(tree).optional() }));
const invoice = z.object({
  total: z.number(),
  paid: z.boolean().optional(),
  level: z.enum(['low', 'high']).optional(),
  lines: z.array(line).max(2).optional(),
  by: z.union([z.literal('card'), z.object({ iban: z.string().regex(/^CH/u) })]).optional(),
  note: z.string().nullable().optional(),
  tree: tree.optional(),
});

describe('a value and a JSON Schema', () => {
  test.each<[string, Json]>([
    ['all that is required', { total: 7 }],
    ['a list of objects', { total: 7, lines: [{ name: 'a', price: 1.5 }] }],
    ['one of several forms', { total: 7, by: { iban: 'CH1' } }],
    ['null where it is allowed', { total: 7, note: null }],
    ['parts of the same form', { total: 7, tree: { value: 1, parts: [{ value: 2 }] } }],
  ])('fit: %s', (_title, value) => {
    expect(strictProblem(jsonSchemaOf(invoice), value)).toBeUndefined();
  });

  test.each<[string, Json, problem: string]>([
    ['a text', 'seven', 'it has to be an object'],
    ['JSON in a text', '{"total":7}', 'it has to be an object'],
    ['a missing field', { paid: true }, 'total is missing'],
    ['a number as a text', { total: '7' }, 'total has to be a number'],
    ['null for an optional field', { total: 7, paid: null }, 'paid has to be true or false'],
    ['a word for true', { total: 7, paid: 'yes' }, 'paid has to be true or false'],
    ['another word', { total: 7, level: 'HIGH' }, 'level has to be "low" or "high"'],
    [
      'a field of an item',
      { total: 7, lines: [{ name: 'a', price: '1' }] },
      'lines[0].price has to be a number',
    ],
    ['a missing field of an item', { total: 7, lines: [{ name: 'a' }] }, 'lines[0].price is missing'],
    ['an empty text', { total: 7, lines: [{ name: '', price: 1 }] }, 'lines[0].name has to have at least 1'],
    [
      'a number out of range',
      { total: 7, lines: [{ name: 'a', price: 0 }] },
      'lines[0].price has to be more than 0',
    ],
    ['too many items', { total: 7, lines: [{}, {}, {}] }, 'lines has to have at most 2'],
    ['none of the forms', { total: 7, by: 'cash' }, 'by has to be "card", or by has to be an object'],
    ['a pattern', { total: 7, by: { iban: 'DE1' } }, 'by.iban has to match ^CH'],
    ['a part of a part', { total: 7, tree: { value: 1, parts: [{ value: 1.5 }] } }, 'whole number'],
  ])('do not fit: %s', (_title, value, problem) => {
    expect(strictProblem(jsonSchemaOf(invoice), value)).toContain(problem);
  });

  test('without other fields, where the schema has none', () => {
    const schema = { type: 'object', properties: { a: {} }, additionalProperties: false };
    expect(strictProblem(schema, { a: 1, b: 2 })).toBe('b is not allowed');
  });
});
