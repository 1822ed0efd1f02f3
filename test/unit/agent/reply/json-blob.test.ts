/**
 * How the JSON in a reply is found and read: Python's idea of JSON, and LangChain's leniency about its end. Expected
 * values were seen with langchain-core's parse_json_markdown (Python 3.11).
 */
import { describe, expect, test } from 'vitest';
import { readJsonBlob } from '../../../../agent/reply/json-blob.ts';
import { decodeJson } from '../../../../agent/reply/json-decode.ts';
import type { Json } from '../../../../agent/values/vocabulary.ts';

describe('the JSON of a reply', () => {
  test.each<[what: string, text: string, value: Json]>([
    ['the whole reply', '{"a": 1}', { a: 1 }],
    ['the whole reply in a fence', '```json\n{"a": 1}\n```', { a: 1 }],
    ['behind the first fence', 'I look.\nAction:\n```\n{"a": 1}\n```', { a: 1 }],
    ['behind the first fence though an empty one is before it', 'x ```\n```\n{"a": 1}\n```', { a: 1 }],
    ['a fence that nothing closes', 'x\n```json\n{"a": 1}', { a: 1 }],
    ['behind a fence on the same line', 'x ```json{"a": 1}``` y', { a: 1 }],
    ['the first of two objects', '{"a": 1}\n{"a": 2}', { a: 1 }],
    ['the first of two fences', 'x\n```\n{"a": 1}\n```\n```\n{"a": 2}\n```', { a: 1 }],
    ['a text that holds a fence', '```json\n{"a": "```python\nf()\n```"}\n```', { a: '```python\nf()\n```' }],
    ['an object with text behind it', '{"a": 1}\nObservation: 2', { a: 1 }],
    ['an object with another open one behind it', '{"a": {"b": 1}} and {', { a: { b: 1 } }],
    ['a number that the reply begins with, though a fence follows', '5 apples\n```\n{"a": 1}\n```', 5],
  ])('is read from %s', (_what, text, value) => {
    expect(readJsonBlob(text)).toEqual(value);
  });

  test.each<[what: string, text: string]>([
    ['prose', 'I cannot do that.'],
    ['nothing', ' \n```\n```'],
    ['prose before an object without a fence', 'Sure: {"a": 1}'],
    ['a reply with one closing brace too many before the fence', 'so }\n```\n{"a": 1}\n```'],
    ['one closing brace too many', '{"a": 1}}'],
    ['a comma before the end', '{"a": 1,}'],
    ['single quotes', "{'a': 1}"],
    ['a comment', '{"a": 1, // one\n"b": 2}'],
    ['a bad escape', '{"a": "C:\\dir"}'],
    ['a BOM', '\ufeff{"a": 1}'],
    ['a fence with another tag', '```JSON\n{"a": 1}\n```'],
  ])('is not read from %s', (_what, text) => {
    expect(readJsonBlob(text)).toBeUndefined();
  });
});

describe('an end that is missing', () => {
  test.each<[text: string, value: Json | undefined]>([
    ['{"a": {"b": [1, "x"]}', { a: { b: [1, 'x'] } }],
    ['{"a": {"b": [1, "x', { a: { b: [1, 'x'] } }],
    ['{"a": {"b": [1, "', { a: { b: [1, ''] } }],
    ['{"a": {"b": [1, ', { a: { b: [1] } }],
    ['{"a": {"b": ', { a: {} }],
    ['{"a": {', { a: {} }],
    ['{"a', {}],
    ['{', {}],
    ['{"a": "x\\', { a: 'x' }],
    ['{"a": "x\\\\', { a: 'x\\' }],
    ['{"a": "x\\u00', {}],
    ['{"a": -1.', { a: -1 }],
    ['{"a": tru', {}],
    ['[1] [2', [1]],
  ])('is supplied: %s', (text, value) => {
    expect(readJsonBlob(text)).toEqual(value);
  });
});

describe('JSON', () => {
  test.each<[what: string, text: string, value: Json]>([
    ['raw line breaks and control characters', '{"a": "x\n\t\0y"}', { a: 'x\n\t\0y' }],
    ['NaN and infinities', '[NaN, Infinity, -Infinity]', [Number.NaN, Infinity, -Infinity]],
    ['an integer zero without a sign', '[-0, -0.0]', [0, -0]],
    ['the last of equal keys', '{"a": 1, "a": 2}', { a: 2 }],
    ['both halves of a character as one', '"\\ud83d\\ude00"', '😀'],
    ['every escape', '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00E9"', '"\\/\b\f\n\r\té'],
    ['numbers', '[0, 12, -1.5, 1e2, 2E-1]', [0, 12, -1.5, 100, 0.2]],
    ['empty arrays and objects', '[ ] ', []],
    ['blanks around everything', ' { "a" : [ 1 , null ] } ', { a: [1, null] }],
  ])('is what Python takes for it: %s', (_what, text, value) => {
    expect(decodeJson(text)).toEqual({ type: 'value', value });
  });

  test('has half a character, which nobody could record, replaced, in keys too', () => {
    const value = { 'a\ufffd': ['\ufffdb'] };
    expect(decodeJson('{"a\\ud83d": ["\\ude00b"]}')).toEqual({ type: 'value', value });
  });

  test('may have a key that is called __proto__', () => {
    const decoded = decodeJson('{"__proto__": {"a": 1}}');
    expect(JSON.stringify(decoded)).toBe('{"type":"value","value":{"__proto__":{"a":1}}}');
  });

  const refused = '01 +1 .5 1. 0x1f 1_000 True nul "\\x41" "\\u00g0"'.split(' ');
  test.each([...refused, '[1 2]', '{1: 2}'])('is not what Python refuses: %s', (text) => {
    expect(decodeJson(text)).toMatchObject({ type: 'broken' });
  });

  test.each<[what: string, text: string, type: string]>([
    ['500 brackets deep', '['.repeat(500) + ']'.repeat(500), 'value'],
    // Python reads 972 levels; more than 500 cannot be recorded.
    ['501 brackets deep', '['.repeat(501) + ']'.repeat(501), 'refused'],
    // Python makes no integer of more than 4,300 digits, which is no rule of JSON.
    ['an integer of 5,000 digits', '9'.repeat(5000), 'value'],
    ['a fraction of 4,301 digits', `1.${'9'.repeat(4301)}`, 'value'],
  ])('is read up to its limits: %s', (_what, text, type) => {
    expect(decodeJson(text).type).toBe(type);
  });

  test('is not looked for behind a fence where it is refused', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const fence = '\n```\n{"a": 1}\n```';
    expect(readJsonBlob(nested(500) + fence)).toBeInstanceOf(Array);
    expect(readJsonBlob(nested(501) + fence)).toBeUndefined();
  });
});

describe('an action_input', () => {
  test.each<[what: string, text: string, input: string]>([
    ['may have a backslash at the end of a line', '{"action_input": "a\\\nb"}', 'a\\nb'],
    ['may stand on the next line', '{"action_input":\n"a\\\tb"}', 'a\\tb'],
    ['keeps its escapes', '{"action_input": "a\\nb \\"c\\" \\u00e9"}', 'a\nb "c" é'],
  ])('%s', (_what, text, input) => {
    expect(readJsonBlob(text)).toEqual({ action_input: input });
  });

  test('is the only text that may', () => {
    expect(readJsonBlob('{"a": "a\\\nb"}')).toBeUndefined();
  });
});

describe('a reply of a million characters', () => {
  const n = 1_000_000;
  test.each<[what: string, text: string, type: string]>([
    ['prose', 'so it goes '.repeat(n / 11), 'undefined'],
    ['an input without an end', `{"action_input": "${'x\n'.repeat(n / 2)}`, 'object'],
    ['blanks before an input', `{"action_input":${' '.repeat(n)}`, 'object'],
    ['input keys', '"action_input":"'.repeat(n / 16), 'string'],
    ['backslashes', `{"a": "${'\\'.repeat(n)}`, 'object'],
    ['open brackets', '['.repeat(n), 'undefined'],
    ['open objects', '{"a":'.repeat(n / 5), 'undefined'],
    ['digits', `[1.${'1'.repeat(n)}e`, 'object'],
    ['backticks', `${'`'.repeat(n)}x${'`'.repeat(n)}`, 'undefined'],
    ['quotes', '"'.repeat(n), 'string'],
    ['an array without an end', '[' + '1,'.repeat(n / 2), 'object'],
    ['an object and prose full of quotes', `{"a": 1} ${'" x '.repeat(n / 4)}`, 'object'],
  ])('comes to an end: %s', (_what, text, type) => {
    expect(typeof readJsonBlob(text)).toBe(type);
  });
});
