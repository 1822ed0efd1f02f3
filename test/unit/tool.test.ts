import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import type { Json } from '../../agent/vocabulary.ts';
import { ToolInputError, defineTool } from '../../tools/tool.ts';
import { toolContext } from '../support/tool-context.ts';

describe('a tool without a schema takes one string', () => {
  const echo = defineTool({ name: 'echo', description: 'Says it again.', run: (text) => text });

  it.each<[string, Json, string]>([
    ['a string, as it is', ' 25 years ', ' 25 years '],
    ['an empty string', '', ''],
    ['the only value of an object', { query: 'Vittoria Ceretti age' }, 'Vittoria Ceretti age'],
    ['a number that is the only value, as JSON', { n: 5 }, '5'],
    ['an object that is the only value, as JSON', { where: { city: 'Rome' } }, '{"city":"Rome"}'],
  ])('takes %s', (_what, input, parsed) => {
    expect(echo.parseInput(input)).toBe(parsed);
  });

  it.each<[string, Json]>([
    ['an object with two values', { a: '1', b: '2' }],
    ['an object with none', {}],
    ['a list', ['a']],
    ['a number', 5],
    ['null', null],
  ])('refuses %s with a sentence that shows what it was given', (_what, input) => {
    expect(() => echo.parseInput(input)).toThrow(ToolInputError);
    expect(() => echo.parseInput(input)).toThrow(
      `echo takes one string, but was given ${JSON.stringify(input)}.`,
    );
  });

  it('has no schema for the model', () => {
    expect(echo.inputSchema).toBeNull();
  });
});

describe('a tool with a schema', () => {
  const weather = defineTool({
    name: 'weather',
    description: 'Weather of a city.',
    input: z.object({
      city: z.string().describe('name of the city'),
      days: z.coerce.number().int().max(7).default(1),
    }),
    run: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ city: string; days: number }>();
      return `${input.city}, ${input.days}`;
    },
  });

  it.each<[string, Json, unknown]>([
    ['fills in defaults', { city: 'Rome' }, { city: 'Rome', days: 1 }],
    ['coerces what the schema coerces', { city: 'Rome', days: '3' }, { city: 'Rome', days: 3 }],
    ['gives a plain string to its first field', 'Rome', { city: 'Rome', days: 1 }],
    ['drops fields it does not know', { city: 'Rome', unit: 'C' }, { city: 'Rome', days: 1 }],
  ])('%s', (_what, input, parsed) => {
    expect(weather.parseInput(input)).toEqual(parsed);
  });

  it.each<[string, Json, RegExp]>([
    ['a missing field', { days: 2 }, /city/u],
    ['a value out of range', { city: 'Rome', days: 9 }, /days/u],
    ['a list', ['Rome'], /expected object/u],
  ])('refuses %s and names what is wrong', (_what, input, reason) => {
    expect(() => weather.parseInput(input)).toThrow(ToolInputError);
    expect(() => weather.parseInput(input)).toThrow(/The input of weather is not valid/u);
    expect(() => weather.parseInput(input)).toThrow(reason);
  });

  it('shows the model its input as JSON Schema: a field with a default may be left out', () => {
    expect(weather.inputSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string', description: 'name of the city' }, days: { default: 1 } },
      required: ['city'],
    });
  });

  it('runs as a plain call', () => {
    expect(weather.run(weather.parseInput('Rome') as never, toolContext())).toBe('Rome, 1');
  });

  it('is refused when its input cannot be written as JSON Schema', () => {
    const define = () =>
      defineTool({ name: 'odd', description: '', input: z.object({ at: z.date() }), run: () => '' });
    expect(define).toThrow(/Tool "odd": its input cannot be written as JSON Schema/u);
  });
});

it('keeps the options it was given and adds none', () => {
  const tool = defineTool({ name: 'a', description: 'b', timeout: '2s', effects: 'none', run: () => 1 });
  expect(Object.keys(tool).toSorted()).toEqual([
    'description',
    'effects',
    'inputSchema',
    'name',
    'parseInput',
    'run',
    'timeout',
  ]);
});
