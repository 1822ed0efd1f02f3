import { expect, test } from 'vitest';
import { parametersOf } from '../../../../agent/prompt/parameters.ts';
import { toolCalling } from '../../../../agent/kinds/tool-calling.ts';
import { z } from '../../../../index.ts';
import { jsonSchemaOf } from '../../../../adapters/tools/zod-schema.ts';
import { manifestOfKind, rendered, sampleTool } from '../../../support/manifest.ts';

test('a tool without fields is declared as an object with no properties', () => {
  expect(parametersOf({ type: 'object' })).toEqual({ type: 'object', properties: {} });
  expect(parametersOf({})).toEqual({ type: 'object', properties: {} });
  const manifest = manifestOfKind(toolCalling, {
    tools: [sampleTool('ping', 'Pings.', { inputSchema: { type: 'object', additionalProperties: false } })],
  });
  const prompt = rendered(toolCalling, manifest, {});
  expect(prompt.type === 'messages' && prompt.tools?.[0]?.parameters).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: {},
  });
});

test('an ordinary schema is declared to the letter', () => {
  const schema = jsonSchemaOf(
    z.object({ city: z.string().describe('Where'), days: z.number().default(1), on: z.enum(['a', 'b']) }),
  );
  expect(JSON.stringify(parametersOf(schema))).toBe(JSON.stringify(schema));
});

test('literals and unions are in the words that Ollama shows to its models', () => {
  const schema = jsonSchemaOf(
    z.object({
      kind: z.literal('fixed'),
      shape: z.discriminatedUnion('type', [
        z.object({ type: z.literal('circle'), radius: z.number() }),
        z.object({ type: z.literal('square'), side: z.number() }),
      ]),
    }),
  );
  const text = JSON.stringify(parametersOf(schema));
  expect(text).toContain('"const":"fixed","enum":["fixed"]');
  expect(text).toContain('"anyOf":[');
  expect(text).not.toContain('oneOf');
});

test('fields with the names of keywords stay fields', () => {
  const schema = {
    type: 'object',
    properties: { oneOf: { type: 'string' }, const: { type: 'number' }, $defs: { type: 'string' } },
    required: ['oneOf'],
  };
  expect(parametersOf(schema)).toEqual(schema);
});

test('values stay as they are', () => {
  const value = { oneOf: [1], const: 2, $ref: '#/x' };
  const schema = { type: 'object', properties: { a: { default: value, enum: [value], examples: [value] } } };
  expect(parametersOf(schema)).toEqual(schema);
});

test('a definition stands in place of its references', () => {
  const place = { type: 'object', properties: { street: { $ref: '#/$defs/Street' } } };
  const schema = {
    type: 'object',
    properties: {
      from: { $ref: '#/$defs/Place', description: 'Start' },
      to: { type: 'array', items: { $ref: '#/$defs/Place' } },
    },
    $defs: { Place: place, Street: { type: 'string', const: 'A' } },
  };
  const street = { type: 'string', const: 'A', enum: ['A'] };
  const written = { type: 'object', properties: { street } };
  expect(parametersOf(schema)).toEqual({
    type: 'object',
    properties: { from: { ...written, description: 'Start' }, to: { type: 'array', items: written } },
  });
});

test('a definition that contains itself stays a reference', () => {
  const tree = {
    type: 'object',
    properties: {
      name: { $ref: '#/$defs/Name' },
      children: { type: 'array', items: { $ref: '#/$defs/Tree' } },
    },
  };
  const schema = {
    type: 'object',
    properties: { tree: { $ref: '#/$defs/Tree' } },
    $defs: { Tree: tree, Name: { type: 'string' } },
  };
  const { $defs: definitions, properties } = parametersOf(schema);
  expect(properties).toEqual({ tree: { $ref: '#/$defs/Tree' } });
  expect(definitions).toMatchObject({ Tree: { properties: { name: { type: 'string' } } } });
  const itself = { type: 'object', properties: { next: { $ref: '#' } } };
  expect(parametersOf(itself)).toEqual(itself);
});

test('definitions that would multiply without end of the page are not written out any more', () => {
  const level = (n: number) => ({
    type: 'object',
    properties: { a: { $ref: `#/$defs/L${n + 1}` }, b: { $ref: `#/$defs/L${n + 1}` } },
  });
  const $defs = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`L${n}`, level(n)]));
  const schema = {
    type: 'object',
    properties: { top: { $ref: '#/$defs/L0' } },
    $defs: { ...$defs, L30: { type: 'string' } },
  };
  expect(JSON.stringify(parametersOf(schema)).length).toBeLessThan(500_000);
});

test('combinations at the top become properties: OpenAI and Anthropic refuse them there', () => {
  const text = { type: 'string' };
  const schema = {
    type: 'object',
    properties: { id: text },
    required: ['id'],
    anyOf: [{ properties: { a: text }, required: ['a'] }, { properties: { b: text } }],
    allOf: [{ properties: { c: text }, required: ['c'] }],
  };
  expect(parametersOf(schema)).toEqual({
    type: 'object',
    properties: { a: text, b: text, c: text, id: text },
    required: ['id', 'c'],
  });
});
