import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../../../agent/values/vocabulary.ts';
import { createOutputCheck, outputSchema } from '../../../../config/options/output-check.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const forecast = z.object({ city: z.string().min(2), degrees: z.coerce.number().default(20) });

/** `now` is the schema that the agent has by the time of the answer; null: it has none any more. */
function check(output: Json, schema: z.ZodType = forecast, now: z.ZodType | null = schema): Json {
  const checkOutput = createOutputCheck(() => now ?? undefined);
  return checkOutput(sampleManifest({ output: outputSchema('a', schema) }), output);
}

const oslo = { city: 'Oslo', degrees: 20 };

describe('an answer is what the schema makes of', () => {
  test.each<[what: string, output: Json, expected: Json]>([
    ['a value', { city: 'Oslo', degrees: 5 }, { city: 'Oslo', degrees: 5 }],
    ['JSON text', '{"city":"Oslo","degrees":"5"}', { city: 'Oslo', degrees: 5 }],
    ['JSON text in a fence', '```json\n{"city":"Oslo"}\n```', oslo],
    ['JSON text in a fence that ends on its last line', '```json \n{"city":"Oslo"}```', oslo],
    ['JSON text that holds a fence', '```json\n{"city":"``` Oslo"}\n```', { ...oslo, city: '``` Oslo' }],
    ['JSON text in a fence without a name', ' ```\n{"city":"Oslo"}\n``` ', oslo],
  ])('%s', (_what, output, expected) => {
    expect(check(output)).toEqual(expected);
  });

  test.each<[what: string, output: Json, schema: z.ZodType, expected: Json]>([
    ['a plain text where the schema wants one', 'yes', z.enum(['yes', 'no']), 'yes'],
    ['a text in the quotes of JSON', '"Paris"', z.string(), 'Paris'],
    ['a text that would be JSON of another type', '42', z.string(), '42'],
    ['JSON before text', '42', z.union([z.number(), z.string()]), 42],
  ])('%s', (_what, output, schema, expected) => {
    expect(check(output, schema)).toBe(expected);
  });

  test('an answer that is transformed', () => {
    const shout = z.object({ text: z.string() }).transform(({ text }) => text.toUpperCase());
    expect(check('{"text":"hi"}', shout)).toBe('HI');
  });
});

describe('an answer is refused', () => {
  test.each<[what: string, output: Json, told: string]>([
    ['that is not JSON', 'It is warm.', 'it is not JSON'],
    ['that lacks a field', '{"degrees":5}', 'at city'],
    ['that breaks a rule', { city: 'X' }, 'at city'],
    ['of another type', '5', 'expected object'],
  ])('%s, and the model is told why', (_what, output, told) => {
    const observation = expect.stringContaining(told);
    expect(() => check(output)).toThrow(expect.objectContaining({ name: 'OutputParserError', observation }));
  });

  test.each<[what: string, schema: z.ZodType, told: string]>([
    ['a choice', z.enum(['yes', 'no']), 'expected one of "yes"|"no"'],
    ['a pattern', z.email(), 'Invalid email'],
    ['a length', z.string().min(20), 'expected string to have >=20 characters'],
  ])('as a text that breaks the rule of its schema, not as JSON: %s', (_what, schema, told) => {
    const observation = expect.stringContaining(told);
    expect(() => check('Maybe.', schema)).toThrow(expect.objectContaining({ observation }));
  });
});

describe('a run that began before a deploy', () => {
  test.each<[what: string, now: z.ZodType | null]>([
    ['changed the schema', z.object({ town: z.string() })],
    ['took it away', null],
  ])('is held to the schema it began with where the agent now %s', (_what, now) => {
    const before = z.object({ city: z.string() });
    expect(check({ city: 'Oslo' }, before, now)).toEqual({ city: 'Oslo' });
    const refused = expect.objectContaining({ name: 'OutputParserError' });
    expect(() => check({ town: 'Oslo' }, before, now)).toThrow(refused);
  });
});

test('without a schema any answer is one', () => {
  expect(createOutputCheck(() => forecast)(sampleManifest(), 'hm')).toBe('hm');
});

test('a schema that JSON Schema cannot say is a config error', () => {
  const make = () => outputSchema('a', z.object({ when: z.date() }));
  expect(make).toThrow(expect.objectContaining({ name: 'ConfigError' }));
});

test.each([
  ['line breaks', '\n'],
  ['blanks', ' '],
  ['fences', '```\n'],
  ['fences without line breaks', '```'],
])('a fence and 100,000 characters of %s are refused without delay', (_what, filler) => {
  const reply = `\`\`\`json\n${filler.repeat(100_000 / filler.length)}x`;
  expect(() => check(reply)).toThrow('it is not JSON');
});

test.each<[what: string, reply: Json]>([
  ['a fence with words around it', 'Here it is:\n```json\n{"city":"Oslo"}\n```\nAnything else?'],
  ['words around it', 'The answer is {"city":"Oslo"}, I think.'],
  ['a field named as an answer', '{"output":{"city":"Oslo"}}'],
  ['such a field of an object', { Answer: { city: 'Oslo' } }],
  ['an option in other case', '{"city":"Oslo","level":" High "}'],
])('an answer is read in %s', (_what, reply) => {
  const schema = z.object({ city: z.string(), level: z.enum(['low', 'high']).optional() });
  expect(check(reply, schema)).toMatchObject({ city: 'Oslo' });
});

test('an answer that does not fit is told its problem, also where it is between words', () => {
  const schema = z.object({ city: z.string() });
  const told = (problem: string): unknown => {
    const observation: unknown = expect.stringContaining(problem);
    return expect.objectContaining({ observation });
  };
  expect(() => check('So: {"town":"Oslo"}.', schema)).toThrow(told('city'));
  expect(() => check('So: {"town":"Oslo"', schema)).toThrow(told('it is not JSON'));
  expect(() => check('{"person":{"city":"Oslo"}}', schema)).toThrow(told('city'));
  expect(check('yes, {"a":1}', z.string())).toBe('yes, {"a":1}');
});
