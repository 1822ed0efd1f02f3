import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JsonSchema } from '../../../../agent/definition/manifest.ts';
import type { Json } from '../../../../agent/values/vocabulary.ts';
import { readInput } from '../../../../client/start/read-input.ts';
import { coerceTo } from '../../../../adapters/tools/coerce.ts';
import { objectInput } from '../../../../adapters/tools/json-input.ts';
import { pngOf } from '../../../support/image.ts';

/** Each of these becomes `expected`. */
const all = (expected: unknown, ...values: Json[]) =>
  values.map((value): [Json, unknown] => [value, expected]);
const REFUSED = undefined;

/** Inputs and their coerced values. pydantic 2 coerces the same way in Python's lax mode. */
describe.each<{ type: string; field: z.ZodType; cases: [Json, unknown][] }>([
  {
    type: 'a whole number',
    field: z.number().int(),
    cases: [
      all(2, 2, '2', '2.0', '+2'),
      all(-3, ' -3 '),
      all(1000, '1_000'),
      all(1, true),
      all(0, false),
      all(REFUSED, '2.5', 2.5, '0x10', '1__0', '1,000', '', 'two', null, ['2']),
    ].flat(),
  },
  {
    type: 'a number',
    field: z.number(),
    cases: [
      all(2.5, '2.5'),
      all(0.5, '.5'),
      all(5, '5.'),
      all(1000, '1e3'),
      all(-10.5, '-1_0.5'),
      all(1, true),
      all(REFUSED, '1e999', '.', 'abc'),
    ].flat(),
  },
  {
    type: 'a boolean',
    field: z.boolean(),
    cases: [
      all(true, true, 'true', 'TRUE', 't', 'Yes', 'y', 'on', '1', 1),
      all(false, 'False', 'f', 'no', 'N', 'off', '0', 0),
      all(REFUSED, 2, ' true ', 'maybe', '', null),
    ].flat(),
  },
  {
    type: 'an optional text',
    field: z.string().optional(),
    cases: [all(undefined, null), all('a', 'a')].flat(),
  },
  { type: 'a number with a default', field: z.number().default(3), cases: all(3, null) },
  {
    type: 'one of some words, or nothing',
    field: z.enum(['a', 'b']).optional(),
    cases: all(undefined, null),
  },
  {
    type: 'a list of texts',
    field: z.array(z.string()),
    cases: [all(['a'], 'a', '["a"]'), all(REFUSED, [null], { a: 'b' }, 5, null)].flat(),
  },
  { type: 'a list of numbers', field: z.array(z.number()), cases: all([1, 2], '[1, "2"]') },
  {
    type: 'an object',
    field: z.object({ n: z.number(), m: z.string().optional() }),
    cases: [all({ n: 1 }, '{"n":"1","m":null}'), all(REFUSED, '[1]', 'n', null)].flat(),
  },
  { type: 'a text', field: z.string(), cases: [all('2', '2'), all(REFUSED, 2, true)].flat() },
  {
    type: 'one of several types',
    field: z.union([z.number(), z.boolean(), z.object({ n: z.number() })]),
    cases: [
      all(1, '1'),
      all(true, true, 'yes'),
      all({ n: 1 }, { n: '1' }),
      all(REFUSED, { m: '1' }, '?'),
    ].flat(),
  },
  {
    type: 'a number or null',
    field: z.number().nullable(),
    cases: [all(null, null), all(3, '3'), all(REFUSED, 'null')].flat(),
  },
])('a field whose schema wants $type', ({ field, cases }) => {
  test.each(cases)('%j becomes %j', (value, expected) => {
    expect(coerceTo(z.object({ field }), { field: value }).data?.field).toEqual(expected);
  });
});

test('values are changed at any depth, in lists and records too, and the input stays as it was', () => {
  const row = z.object({ n: z.int(), keep: z.string() });
  const schema = z.object({ rows: z.array(row), by: z.record(z.string(), z.boolean()) });
  const input = { rows: [{ n: '1', keep: '1', more: 'x' }], by: { a: 'on', b: false } };
  const before = structuredClone(input);
  const coerced = { rows: [{ n: 1, keep: '1' }], by: { a: true, b: false } };
  expect(coerceTo(schema, input).data).toEqual(coerced);
  expect(input).toEqual(before);
});

test('a value that is refused after the change too is refused, with the problems that are left', () => {
  const parsed = coerceTo(z.object({ days: z.number().max(7), city: z.string() }), { days: '9' });
  const problems = parsed.error?.issues.map(({ code, path }) => `${code} ${path.join()}`);
  expect(problems).toEqual(['too_big days', 'invalid_type city']);
});

test('a schema that wants two things at once comes to an end', () => {
  const both = z.object({ field: z.intersection(z.number(), z.boolean()) });
  expect(coerceTo(both, { field: 1 }).success).toBe(false);
});

test('a schema that changes what it takes gets the value as it was written, if it takes that', () => {
  const schema = z.object({ n: z.string().transform((text) => text.length) });
  expect(coerceTo(schema, { n: '2' }).data).toEqual({ n: 1 });
});

test.each([
  ['digits and then a letter', `${'1'.repeat(100_000)}x`],
  ['blanks and then a letter', `1${' '.repeat(100_000)}x`],
  ['digits and underscores', '1_'.repeat(50_000)],
  ['a fraction of many digits', `1.${'0'.repeat(100_000)}e`],
])('a long text that is nearly a number is refused without delay: %s', (_what, text) => {
  expect(coerceTo(z.object({ field: z.number() }), { field: text }).success).toBe(false);
});

test.each([
  ['list', z.array(z.number()), Array.from({ length: 20_000 }, () => '1')],
  ['record', z.record(z.string(), z.number()), Object.fromEntries(entries(20_000))],
  ['list of either', z.array(z.union([z.number(), z.boolean()])), Array.from({ length: 20_000 }, () => '1')],
])('a %s of twenty thousand values to mend is mended without delay', (_what, schema, given) => {
  const { field } = coerceTo(z.object({ field: schema }), { field: given }).data ?? {};
  expect(new Set(Object.values(field ?? {}))).toEqual(new Set([1]));
  expect(Object.keys(field ?? {})).toHaveLength(20_000);
});

function entries(count: number): [string, Json][] {
  return Array.from({ length: count }, (_item, n) => [`k${n}`, '1']);
}

const png = pngOf(1_000);
const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(10)]);
const text = { type: 'text', text: 'What is on it?' };
const image = (given: unknown, mediaType?: string) => [text, { type: 'image', image: given, mediaType }];

describe('a question', () => {
  test('is one text, as it was written, where it has texts alone', () => {
    expect(readInput(' what? ')).toEqual({ input: ' what? ', media: [] });
    const read = readInput([text, { type: 'text', text: 'Who?' }]);
    expect(read).toEqual({ input: 'What is on it?\nWho?', media: [] });
  });

  test.each([
    ['bytes', png],
    ['a plain Uint8Array', new Uint8Array(png)],
    ['an ArrayBuffer', new Uint8Array(png).buffer],
    ['bytes of another realm', runInNewContext('Uint8Array.from(png)', { png })],
    ['an ArrayBuffer of another realm', runInNewContext('Uint8Array.from(png).buffer', { png })],
    ['a data: URL', `data:image/png;base64,${png.toString('base64')}`],
    ['base64', png.toString('base64')],
  ])('takes an image that is %s: its place stands in the question, its bytes beside it', (_, given) => {
    const { input, media } = readInput(image(given));
    const part = { type: 'image', mediaType: 'image/png', bytes: 1_000, ref: { index: 0 } };
    expect(input).toEqual([text, { ...part, sha256: expect.any(String) }]);
    expect(media.map((one) => one instanceof Uint8Array && png.equals(one))).toEqual([true]);
  });

  test.each([
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF87a'],
    ['image/webp', 'RIFF\x01\x02\x03\x04WEBPVP8 '],
  ])('knows %s by its first bytes', (mediaType, head) => {
    const { input } = readInput(image(Buffer.from(head, 'latin1')));
    expect(input[1]).toMatchObject({ mediaType });
  });

  test('numbers its images, and leaves a URL for the provider to fetch', () => {
    const url = 'https://example.com/a cat.png';
    const parts = [...image(png), ...image(new URL(url)), ...image(gif, 'image/gif')];
    const { input, media } = readInput(parts);
    const refs = [
      {},
      { ref: { index: 0 } },
      {},
      { url: 'https://example.com/a%20cat.png' },
      {},
      { ref: { index: 1 } },
    ];
    expect(input).toMatchObject(refs);
    expect(media).toHaveLength(2);
  });

  test.each([
    ['no question', ' ', 'There is no question.'],
    ['no parts', [], 'There is no question.'],
    ['nothing', undefined, 'There is no question.'],
    ['an image and no word', [{ type: 'image', image: png }], 'There is no question beside the image'],
    ['an empty text', [{ type: 'text', text: '\n' }], 'Part 1 of the question is an empty text'],
    ['a part that is none', [text, 'more'], 'Part 2 of the question is none of'],
    ['a file path', image('photo.png'), '"photo.png" is neither an https URL nor an image'],
    ['http', image('http://example.com/a.png'), 'is not https'],
    ['no URL', image('https://'), 'is not a URL of at most 8000 characters'],
    ['a data: URL in plain text', image('data:image/svg+xml,<svg/>'), 'is not base64'],
    ['a PDF', image(Buffer.from('%PDF-1.7 ...')), '(12 bytes) is not a PNG, JPEG, GIF or WebP'],
    ['an empty image', image(Buffer.alloc(0)), 'is empty'],
    ['a GIF that is called PNG', image(gif, 'image/png'), 'called image/png, but its bytes are image/gif'],
    ['a media type that is none', image(png, 'png'), 'the mediaType png is none of an image'],
    ['a number', image(5), 'image is an https URL, the bytes of an image'],
    ['too large an image', image(pngOf(1_500_001)), 'The image or file takes 1.6 MB; at most 1.5 MB'],
    [
      'images too large together',
      [...image(pngOf(9e5)), ...image(pngOf(9e5))],
      'The 2 images and files take 1.8 MB',
    ],
    ['too many parts', Array.from({ length: 51 }, () => text), 'has 51 parts; at most 50'],
  ])('is refused with what to do: %s', (_, input, message) => {
    expect(() => readInput(input)).toThrow(message);
  });
});

describe('the input of a tool that says its schema as JSON Schema', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      q: { type: 'string', pattern: '^(a+)+$', format: 'date-time' },
      pattern: { type: 'integer', default: 7 },
      tags: { type: 'array', items: { type: 'string' } },
      filter: { $ref: '#/$defs/filter' },
      either: { anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'null' }] },
      unit: { enum: ['C', 'F'] },
    },
    required: ['q'],
    $defs: { filter: { type: 'object', properties: { deep: { type: 'boolean' } }, required: ['deep'] } },
  };

  test.each<[string, { [field: string]: Json }, { [field: string]: Json }]>([
    ['null for an optional field', { q: 'x', tags: null, unit: null }, { q: 'x' }],
    ['JSON text for a list', { q: 'x', tags: '["a"]' }, { q: 'x', tags: ['a'] }],
    ['JSON text for an object', { q: 'x', filter: '{"deep":"yes"}' }, { q: 'x', filter: { deep: true } }],
    ['a list that may be null, as text', { q: 'x', either: '[1]' }, { q: 'x', either: [1] }],
    ['a field called pattern', { q: 'x', pattern: '5' }, { q: 'x', pattern: 5 }],
    ['an option in other case', { q: 'x', unit: 'c' }, { q: 'x', unit: 'C' }],
  ])('is coerced: %s', (_, input, expected) => {
    expect(objectInput('find', schema, input)).toEqual(expected);
  });

  test.each<[string, { [field: string]: Json }]>([
    ['what fits, without defaults', { q: 'x', either: null, more: { a: null } }],
    ['null for a field that is required', { q: null }],
    ['what does not fit after it either', { tags: '["a"]', unit: 'K' }],
    ['a text that a pattern would read for ever', { q: `${'a'.repeat(60)}!` }],
  ])('stays as it is: %s', (_, input) => {
    expect(objectInput('find', schema, input)).toEqual(input);
  });

  test.each<[string, JsonSchema]>([
    ['a keyword', { type: 'object', properties: { a: { type: 'integer' } }, if: {}, not: { type: 'null' } }],
    ['a reference', { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } }],
    ['a reference to nothing', { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }],
  ])('stays as it is where zod cannot read the schema: %s', (_, unread) => {
    expect(objectInput('find', unread, { a: '5' })).toEqual({ a: '5' });
  });
});
