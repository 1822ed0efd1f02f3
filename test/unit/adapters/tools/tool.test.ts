import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import type { Json } from '../../../../agent/values/vocabulary.ts';
import { defineAgent } from '../../../../config/define.ts';
import { type Tool, ToolError, ToolInputError, defineTool } from '../../../../adapters/tools/tool.ts';
import { toolContext } from '../../../support/tool-context.ts';

describe('a tool without a schema takes one string', () => {
  const echo = defineTool({ name: 'echo', description: 'Says it again.', run: (text) => text });

  it.each<[string, Json, string]>([
    ['a string, as it is', ' 25 years ', ' 25 years '],
    ['an empty string', '', ''],
    ['the only value of an object, also if it is empty', { query: '' }, ''],
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
    const told = `echo takes one string, but was given ${JSON.stringify(input)}.`;
    expect(() => echo.parseInput(input)).toThrow(new ToolInputError(told));
  });

  it('takes an object with nothing where its run takes no input', () => {
    const now = defineTool({ name: 'now', description: 'Says the time.', run: () => 'noon' });
    expect(now.parseInput({})).toBe('');
    expect(now.parseInput('x')).toBe('x');
  });

  it('has no schema for the model', () => {
    expect(echo.inputSchema).toBeNull();
  });
});

const rome = { city: 'Rome', days: 1 };

describe('a tool with a schema', () => {
  const weather = defineTool({
    name: 'weather',
    description: 'Weather of a city.',
    input: z.object({
      city: z.string().describe('name of the city'),
      days: z.number().int().max(7).default(1),
      wind: z.boolean().optional(),
    }),
    run: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ city: string; days: number; wind?: boolean | undefined }>();
      return `${input.city}, ${input.days}`;
    },
  });

  it.each<[string, Json, unknown]>([
    ['fills in defaults', { city: 'Rome' }, rome],
    [
      'reads numbers and booleans in texts',
      { ...rome, days: '3', wind: 'no' },
      { ...rome, days: 3, wind: false },
    ],
    ['gives a plain string to its first field', 'Rome', rome],
    ['drops fields it does not know', { city: 'Rome', unit: 'C' }, rome],
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

  it('says what is wrong and what it takes, so that the model can mend it', () => {
    const told = () => weather.parseInput({ city: 3, days: 'many' });
    expect(told).toThrowErrorMatchingInlineSnapshot(`
      [ToolInputError: The input of weather is not valid: ✖ Invalid input: expected string, received number
        → at city
      ✖ Invalid input: expected number, received string
        → at days
      weather takes a JSON object of this schema: {"type":"object","properties":{"city":{"type":"string","description":"name of the city"},"days":{"default":1,"type":"integer","maximum":7},"wind":{"type":"boolean"}},"required":["city"]}]
    `);
  });

  it.each<[Json, object]>([
    ['2', { n: 2 }],
    [{ n: '2' }, { n: 2 }],
  ])('gives %j to a first field that is a number', (input, parsed) => {
    const tool = defineTool({
      name: 'n',
      description: '',
      input: z.object({ n: z.number() }),
      run: () => '',
    });
    expect(tool.parseInput(input)).toEqual(parsed);
  });

  describe('given a text that is a JSON object', () => {
    const shape = { city: z.string(), note: z.string().optional() };
    const taking = (input: z.ZodObject) => defineTool({ name: 'f', description: '', input, run: () => '' });
    const fields = taking(z.object(shape));
    const allMayBeLeftOut = taking(z.object(shape).partial());
    const squared = taking(z.object({ value: z.number() }));

    it.each<[what: string, tool: Tool, text: string, parsed: object]>([
      ['reads an object that fits', fields, '{"city": "Lisbon"}', { city: 'Lisbon' }],
      ['reads a number that is meant', squared, ' {"value": 7}\n', { value: 7 }],
      ['reads a number that is written as a text', squared, '{"value": "7"}', { value: 7 }],
      ['reads an empty object where nothing is required', allMayBeLeftOut, '{}', {}],
      ['takes an object of other fields for a text', fields, '{"a": 1}', { city: '{"a": 1}' }],
      ['loses no object of other fields', allMayBeLeftOut, '{"a": 1}', { city: '{"a": 1}' }],
      ['takes an object that does not fit for a text', fields, '{"city": 5}', { city: '{"city": 5}' }],
      ['takes a list for a text', fields, '["Lisbon"]', { city: '["Lisbon"]' }],
    ])('%s', (_what, tool, text, parsed) => {
      expect(tool.parseInput(text)).toEqual(parsed);
    });

    it('says what is wrong with the object where the text is no input either', () => {
      expect(() => squared.parseInput('{"value": "seven"}')).toThrow('at value');
      // null is the same as a missing field.
      expect(() => squared.parseInput('{"value": null}')).toThrow('received undefined');
    });
  });

  it.each<Json>(['', 'now', {}, { zone: 'UTC' }, [], null])(
    'without any field takes %j for no input',
    (input) => {
      const now = defineTool({ name: 'now', description: '', input: z.object({}), run: () => '' });
      expect(now.parseInput(input)).toEqual({});
    },
  );

  it('shows the model its input as JSON Schema: a field with a default may be left out', () => {
    expect(weather.inputSchema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string', description: 'name of the city' }, days: { default: 1 } },
      required: ['city'],
    });
    expect(weather.inputSchema).not.toHaveProperty('$schema');
  });

  it('runs as a plain call', () => {
    const said = weather.run({ city: 'Rome', days: 1 }, toolContext());
    expectTypeOf(said).toEqualTypeOf<string>();
    expect(said).toBe('Rome, 1');
  });

  it('is one of the tools that an agent lists, whatever it takes', () => {
    expectTypeOf(weather).toExtend<Tool>();
    expect(defineAgent({ name: 'a', model: 'scripted', tools: [weather] }).tools).toEqual([weather]);
  });

  it('is refused when its input is a schema of zod 3, and told which zod to take', () => {
    const input: never = z3.object({ city: z3.string() }) as never; // as JavaScript would hand it over
    expect(() => defineTool({ name: 'old', description: '', input, run: () => '' })).toThrow(
      `Tool "old": its input is a zod 3 schema: import { z } from 'reloop' (or from 'zod/v4').`,
    );
  });

  it.each([
    ['a text', z.string()],
    ['no schema', { city: 'string' }],
    ['null', null],
  ])('is refused when its input is not an object: %s', (_what, input) => {
    const define = () => defineTool({ name: 'odd', description: '', input: input as never, run: () => '' });
    expect(define).toThrow('Tool "odd": its input is not a zod object. Write z.object({ … })');
  });

  it('is refused when its input cannot be written as JSON Schema', () => {
    const define = () =>
      defineTool({ name: 'odd', description: '', input: z.object({ at: z.date() }), run: () => '' });
    expect(define).toThrow(/Tool "odd": its input cannot be written as JSON Schema/u);
  });
});

it.each([
  { what: 'no message', error: new ToolError(), message: 'Tool execution error' },
  { what: 'an empty message', error: new ToolError(''), message: '' },
  { what: 'a message', error: new ToolError('No such city.'), message: 'No such city.' },
])('a ToolError with $what tells the model: $message', ({ error, message }) => {
  expect(error).toMatchObject({ name: 'ToolError', message });
});

it('a tool keeps the options it was given and gets no others', () => {
  const tool = defineTool({ name: 'a', description: 'b', timeout: '2s', effects: 'none', run: () => 1 });
  const names = ['description', 'effects', 'inputSchema', 'name', 'parseInput', 'run', 'timeout'];
  expect(Object.keys(tool).toSorted()).toEqual(names);
});
