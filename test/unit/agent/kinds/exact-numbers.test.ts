import { describe, expect, test } from 'vitest';
import { z } from 'zod/v4';
import { conversational } from '../../../../agent/kinds/conversational.ts';
import { structuredChat } from '../../../../agent/kinds/structured-chat.ts';
import { toolCalling } from '../../../../agent/kinds/tool-calling.ts';
import { zeroShot } from '../../../../agent/kinds/zero-shot.ts';
import { exactJson } from '../../../../agent/values/json-object.ts';
import { coerceTo } from '../../../../adapters/tools/coerce.ts';
import { objectInput } from '../../../../adapters/tools/json-input.ts';
import { defineTool } from '../../../../adapters/tools/tool.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const LONG = '1234567890123456789';

describe('a number that JavaScript cannot hold', () => {
  test.each<[text: string, value: unknown]>([
    [`{"n":${LONG}}`, { n: LONG }],
    [`[-${LONG}, 9007199254740993.0]`, [`-${LONG}`, '9007199254740993.0']],
    ['{"n":1e999}', { n: '1e999' }],
    [
      '[12345678901234567.89, 1.2345678901234567891e18]',
      ['12345678901234567.89', '1.2345678901234567891e18'],
    ],
    ['[1e-400, -0.0, 0e5]', ['1e-400', -0, 0]],
    ['[3.14159265358979323846, 1.50e23, 123e20]', [Math.PI, 1.5e23, 1.23e22]],
    ['[9007199254740991, 1.5, 1e21, 0.25]', [9007199254740991, 1.5, 1e21, 0.25]],
    [String.raw`{"a\"${LONG}":"\\${LONG}"}`, { [`a"${LONG}`]: `\\${LONG}` }],
  ])('stays its text, in %s', (text, value) => {
    expect(exactJson(text)).toEqual(value);
  });

  const tool = {
    ...sampleManifest().tools[0],
    name: 'find',
    inputSchema: { type: 'object', properties: { n: {}, m: {} } },
  };
  const manifest = sampleManifest({ tools: [tool as never] });
  const json = `{"n":${LONG}}`;
  const blob = `\`\`\`json\n{"action":"find","action_input":${json}}\n\`\`\``;

  test.each([
    ['tool-calling', toolCalling, { text: '', toolCalls: [{ id: '1', name: 'find', arguments: json }] }],
    ['structured-chat', structuredChat, { text: `Action:\n${blob}`, toolCalls: [] }],
    ['conversational', conversational, { text: blob, toolCalls: [] }],
    ['zero-shot', zeroShot, { text: `Action: find\nAction Input: ${json}`, toolCalls: [] }],
  ])('is read by %s as its text', (_name, kind, reply) => {
    expect(kind.parse(reply, manifest)).toMatchObject({
      actions: [{ tool: 'find', toolInput: { n: LONG } }],
    });
  });

  test('suits a text, and is refused where a number is due', () => {
    expect(coerceTo(z.object({ n: z.string() }), { n: LONG }).data).toEqual({ n: LONG });
    expect(coerceTo(z.object({ n: z.number() }), { n: LONG }).success).toBe(false);
    expect(coerceTo(z.object({ n: z.number() }), { n: '1000000000000000000' }).data).toEqual({ n: 1e18 });
    const plain = defineTool({ name: 'find', description: 'x', run: (id) => id });
    expect(plain.parseInput({ id: exactJson(LONG) })).toBe(LONG);
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer' }, list: { type: 'array', items: { type: 'number' } } },
    };
    expect(() => objectInput('find', schema, { n: LONG })).toThrow(LONG);
    expect(() => objectInput('find', schema, { list: [LONG] })).toThrow(LONG);
    const amount = `${LONG}.25`;
    expect(() => objectInput('find', schema, { list: [exactJson(amount)] })).toThrow(amount);
    expect(
      objectInput('find', { type: 'object', properties: { n: { type: 'string' } } }, { n: LONG }),
    ).toEqual({ n: LONG });
  });
});
