import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import type { Json } from '../../../../agent/values/vocabulary.ts';
import type { LangChainTool, Tool, ToolContext, VercelTool } from '../../../../adapters/tools/index.ts';
import { fromLangChain, fromVercel } from '../../../../adapters/tools/index.ts';
import { loadedConfig } from '../../../support/config.ts';
import { toolContext } from '../../../support/tool-context.ts';

/** Calls a tool as the runner does: the input is parsed first. */
async function call(tool: Tool, input: Json, context: Partial<ToolContext> = {}): Promise<unknown> {
  return tool.run(tool.parseInput(input) as never, toolContext(context));
}

/** A tool in the shape of LangChain's; says what it was invoked with. */
function langChain(fields: Partial<LangChainTool> = {}): LangChainTool {
  return { name: 'weather', description: 'The weather.', invoke: (input) => ({ given: input }), ...fields };
}

/** A tool in the shape of the AI SDK's; likewise. */
function vercel(fields: VercelTool = {}): VercelTool {
  return { description: 'The weather.', execute: (input: unknown) => ({ given: input }), ...fields };
}

const properties = { city: { type: 'string' }, days: { type: 'number' } };
const json = { type: 'object', properties, required: ['city'] };
const onlyCity = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

/** What another package's class for a rejected input looks like. */
class ToolInputParsingException extends Error {}

/** The same schema, as each package writes it. */
const z3City = z3.object({ city: z3.string(), days: z3.number().optional() });
const schemas: { what: string; schema: unknown; inputSchema?: object }[] = [
  { what: 'zod 4', schema: z.object({ city: z.string(), days: z.number().optional() }) },
  { what: 'zod 3', schema: z3City, inputSchema: { ...json, additionalProperties: false } },
  { what: 'JSON Schema', schema: { $schema: 'https://json-schema.org/draft/2020-12/schema', ...json } },
];
const checked = schemas.filter(({ what }) => what !== 'JSON Schema');

describe('a LangChain tool', () => {
  test('becomes a tool that a config takes', () => {
    const tool = fromLangChain(langChain({ schema: z.object({ city: z.string() }), returnDirect: true }));
    const { manifest } = loadedConfig({ agents: [{ name: 'a', model: 'm', tools: [tool] }] });
    const made = { name: 'weather', description: 'The weather.', returnDirect: true, inputSchema: onlyCity };
    expect(manifest('a', {})?.tools).toMatchObject([made]);
  });

  test('takes options of a tool here, which win', () => {
    const tool = fromLangChain(langChain(), { name: 'sky', effects: 'none', returnDirect: true });
    expect(tool).toMatchObject({ name: 'sky', effects: 'none', returnDirect: true });
  });

  test.each(schemas)('with a schema in $what keeps it', ({ schema, inputSchema = json }) => {
    expect(fromLangChain(langChain({ schema })).inputSchema).toEqual(inputSchema);
  });

  test.each(schemas)('with a schema in $what is invoked with an object', async ({ schema }) => {
    const tool = fromLangChain(langChain({ schema }));
    expect(await call(tool, { city: 'Rome', days: 2 })).toEqual({ given: { city: 'Rome', days: 2 } });
    expect(await call(tool, 'Rome')).toEqual({ given: { city: 'Rome' } });
    expect(await call(tool, '{"city": "Rome"}')).toEqual({ given: { city: 'Rome' } });
  });

  test.each(checked)('with a schema in $what refuses an input that does not fit', async ({ schema }) => {
    const invoke = vi.fn<LangChainTool['invoke']>();
    const tool = fromLangChain(langChain({ schema, invoke }));
    await expect(call(tool, { days: 2 })).rejects.toMatchObject({ name: 'ToolInputError' });
    expect(invoke).not.toHaveBeenCalled();
  });

  test('is given what the model wrote, because it reads it again', async () => {
    const schema = z.object({ city: z.string().transform((city) => city.length) });
    expect(await call(fromLangChain(langChain({ schema })), 'Rome')).toEqual({ given: { city: 'Rome' } });
  });

  const single = z3.object({ input: z3.string().optional() }).transform(({ input }) => input);
  test.each([
    { what: 'no schema', schema: undefined },
    { what: 'the schema of a single string', schema: single },
  ])('with $what takes one string', async ({ schema }) => {
    const tool = fromLangChain(langChain({ schema }));
    expect(tool.inputSchema).toBeNull();
    expect(await call(tool, 'Rome')).toEqual({ given: { input: 'Rome' } });
  });

  test('hears of a cancel, and gets the key against doubled effects', async () => {
    const invoke: LangChainTool['invoke'] = vi.fn<(input: never, config?: object) => string>(() => 'fine');
    const { signal } = new AbortController();
    const tool = fromLangChain(langChain({ invoke }));
    expect(await call(tool, 'x', { signal, idempotencyKey: 'k' })).toBe('fine');
    expect(invoke).toHaveBeenCalledWith({ input: 'x' }, { signal, configurable: { idempotencyKey: 'k' } });
  });

  test('refuses its input itself, and the model is told', async () => {
    const invoke = () => Promise.reject(new ToolInputParsingException('no such city'));
    const tool = fromLangChain(langChain({ schema: json, invoke }));
    await expect(call(tool, 'Rome')).rejects.toMatchObject({ name: 'ToolInputError' });
  });

  test('passes its own error on as it is', async () => {
    const error = new TypeError('fetch failed');
    const tool = fromLangChain(langChain({ schema: json, invoke: () => Promise.reject(error) }));
    await expect(call(tool, 'Rome')).rejects.toBe(error);
  });

  const isNone = /this is not a LangChain tool/u;
  const withDate = z.object({ day: z.date() });
  test.each<[what: string, tool: unknown, message: RegExp]>([
    ['nothing', undefined, isNone],
    ['a tool of the AI SDK', vercel(), isNone],
    ['a tool without a name', langChain({ name: '' }), isNone],
    ['a tool without invoke', { name: 'weather' }, /"weather" is not a LangChain tool/u],
    ['a schema of nothing', langChain({ schema: 7 }), /neither zod's nor JSON Schema/u],
    ['a schema of a list', langChain({ schema: z.array(z.string()) }), /not one of an object/u],
    ['a schema with a date', langChain({ schema: withDate }), /cannot be written as JSON Schema/u],
  ])('is refused at load when it is %s', (_what, tool, message) => {
    expect(() => fromLangChain(tool as LangChainTool)).toThrow(message);
  });
});

describe('a tool of the AI SDK', () => {
  const standard = (validate: (value: unknown) => unknown) => ({
    '~standard': { validate, jsonSchema: { input: () => json } },
  });
  const wrapped = [
    ...checked,
    { what: 'jsonSchema()', schema: { jsonSchema: json, validate: undefined } },
    { what: 'a function that makes it', schema: () => ({ jsonSchema: json }) },
    { what: 'Standard JSON Schema', schema: standard((value) => ({ value })) },
  ];

  test.each(wrapped)('with a schema in $what is executed with an object', async ({ schema }) => {
    const tool = fromVercel('weather', vercel({ inputSchema: schema }));
    expect(tool.inputSchema).toMatchObject(json);
    expect(await call(tool, '{"city": "Rome", "days": 2}')).toEqual({ given: { city: 'Rome', days: 2 } });
    expect(await call(tool, 'Rome')).toEqual({ given: { city: 'Rome' } });
  });

  const validate = () => ({ success: false, error: new Error('where?') });
  const refuses = () => Promise.resolve({ issues: [{ message: 'where?' }] });
  test.each([
    ...checked,
    { what: 'jsonSchema() with validate', schema: { jsonSchema: json, validate } },
    { what: 'Standard JSON Schema', schema: standard(refuses) },
  ])('with a schema in $what refuses an input that does not fit', async ({ schema }) => {
    const execute = vi.fn<() => void>();
    const tool = fromVercel('weather', vercel({ inputSchema: schema, execute }));
    await expect(call(tool, { days: 2 })).rejects.toMatchObject({ name: 'ToolInputError' });
    expect(execute).not.toHaveBeenCalled();
  });

  test('is given what its schema made of the input', async () => {
    const city = z.string().transform((name) => name.length);
    const tool = fromVercel('w', vercel({ inputSchema: z.object({ city, days: z.number().default(3) }) }));
    expect(await call(tool, 'Rome')).toEqual({ given: { city: 4, days: 3 } });
  });

  test('has its schema in `parameters` before version 5', () => {
    const tool = fromVercel('weather', vercel({ parameters: z.object({ city: z.string() }) }));
    expect(tool.inputSchema).toMatchObject(onlyCity);
  });

  test('hears of a cancel, and knows its call', async () => {
    const execute = vi.fn<() => string>(() => 'fine');
    const { signal } = new AbortController();
    const tool = fromVercel('weather', vercel({ inputSchema: json, execute }));
    expect(await call(tool, 'x', { signal, runId: 'run', callId: '3.1' })).toBe('fine');
    const options = { toolCallId: 'run/3.1', abortSignal: signal, messages: [] };
    expect(execute).toHaveBeenCalledWith({ city: 'x' }, options);
  });

  test('shows each of the results that it gives piece by piece, and the last counts', async () => {
    const progress = vi.fn<(text: string) => void>();
    async function* execute() {
      yield 'looking';
      yield { degrees: 20 };
    }
    const tool = fromVercel('weather', vercel({ inputSchema: json, execute }));
    expect(await call(tool, 'Rome', { progress })).toEqual({ degrees: 20 });
    expect(progress.mock.calls).toEqual([['looking'], ['{"degrees":20}']]);
  });

  test('can come with others, in the object that generateText takes', () => {
    const inputSchema = z.object({ city: z.string() });
    const both = { weather: vercel({ inputSchema }), time: { inputSchema, execute: () => 'noon' } };
    const tools = fromVercel(both, { effects: 'none' });
    expect(tools).toMatchObject([
      { name: 'weather', description: 'The weather.', effects: 'none', inputSchema: onlyCity },
      { name: 'time', description: 'time', effects: 'none' },
    ]);
    loadedConfig({ agents: [{ name: 'a', model: 'm', tools }] });
  });

  const pending = { jsonSchema: Promise.resolve(json) };
  test.each<[what: string, tool: unknown, message: RegExp]>([
    ['nothing', undefined, /"w" has no execute function/u],
    ['one that runs elsewhere', { inputSchema: json }, /"w" has no execute function/u],
    ['one without a schema', vercel(), /neither zod's nor JSON Schema/u],
    ['one whose schema is still to come', vercel({ inputSchema: pending }), /not one of an object/u],
    ['one that has to be approved', vercel({ inputSchema: json, needsApproval: true }), /needsApproval/u],
  ])('is refused at load when it is %s', (_what, tool, message) => {
    expect(() => fromVercel('w', tool as VercelTool)).toThrow(message);
  });
});
