import { describe, expect, test } from 'vitest';
import { readArguments } from '../../agent/reply/tool-arguments.ts';
import type { Json } from '../../agent/vocabulary.ts';

describe('the arguments of a tool call', () => {
  test.each<[text: string, input: Json, shown: string]>([
    ['', {}, '{}'],
    ['{}', {}, '{}'],
    ['null', {}, '{}'],
    ['[]', {}, '{}'],
    ['""', {}, '{}'],
    ['0', {}, '{}'],
    ['false', {}, '{}'],
    [' {"city": "Rome", "days": 2} ', { city: 'Rome', days: 2 }, "{'city': 'Rome', 'days': 2}"],
    ['{"n": 1.0}', { n: 1 }, "{'n': 1.0}"],
    ['{"__arg1": "hi"}', 'hi', 'hi'],
    ['{"__arg1": ""}', '', ''],
    ['{"__arg1": "it\'s"}', "it's", "it's"],
    ['{"__arg1": "hi", "more": 1}', 'hi', 'hi'],
    ['{"__arg1": {"a": true}}', { a: true }, "{'a': True}"],
    ['{"query": "hi"}', { query: 'hi' }, "{'query': 'hi'}"],
    ['{"code": "a\n\tb"}', { code: 'a\n\tb' }, String.raw`{'code': 'a\n\tb'}`],
    ['{"a": "\\\\", "b": "\n"}', { a: '\\', b: '\n' }, String.raw`{'a': '\\', 'b': '\n'}`],
  ])('%j are read as %j', (text, input, shown) => {
    expect(readArguments(text)).toEqual({ input, shown });
  });

  test.each<[text: string]>([
    ['{"a": 1'],
    ['{a: 1}'],
    ["{'a': 1}"],
    ['{"a": 1,}'],
    ['{"a": NaN}'],
    ['{"a": 1}{"b": 2}'],
    ['  '],
    ['plain words'],
    ['{"a": "\\\n"}'],
    ['[1]'],
    ['"x"'],
    ['5'],
    ['true'],
  ])('%j are refused with a reason', (text) => {
    expect(() => readArguments(text)).toThrow(/./u);
  });

  test('that are nested too deep to be recorded are refused with a reason', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(readArguments(nested(400)).input).toHaveProperty('a');
    for (const levels of [501, 5_000, 100_000]) {
      expect(() => readArguments(nested(levels))).toThrow(/nested more than 500 levels deep/u);
    }
  });

  test('hold no half of a character', () => {
    expect(readArguments('{"a": "x\\ud83d", "\ude00": 1}').input).toEqual({ a: 'x\ufffd', '\ufffd': 1 });
  });

  test('may be as long as a reply gets', () => {
    const long = 'a\n"'.repeat(500_000);
    expect(readArguments(JSON.stringify({ long })).input).toEqual({ long });
    expect(() => readArguments('"\\"'.repeat(500_000))).toThrow();
    expect(() => readArguments(`{"a": "${'\\"'.repeat(1_000_000)}`)).toThrow();
  });
});
