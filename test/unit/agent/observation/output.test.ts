import { describe, expect, test } from 'vitest';
import { capOutput, externalOutput } from '../../../../agent/observation/output.ts';
import { type Json, asText } from '../../../../agent/values/vocabulary.ts';

const ROOM = 1_000_000;
const cut = (kept: number, of: number) => `\n[cut: the first ${kept} of ${of} characters]`;

describe("a tool's result becomes JSON", () => {
  test.each<[what: string, output: unknown, json: Json]>([
    ['text stays as it is', ' a "b"\n', ' a "b"\n'],
    ['empty text too', '', ''],
    ['a number, a boolean, a list, an object stay', { n: [1, true, null] }, { n: [1, true, null] }],
    ['nothing is null', undefined, null],
    ['null is null', null, null],
    ['a function is null', () => 1, null],
    ['a symbol is null', Symbol('a'), null],
    ['a date is its text', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an undefined field is left out', { a: undefined, b: 1 }, { b: 1 }],
    ['an undefined item is null', [undefined, 1], [null, 1]],
    ['what is not a number is null', { a: Number.NaN, b: Infinity }, { a: null, b: null }],
    ['a big integer is its digits', { id: 12345678901234567890n }, { id: '12345678901234567890' }],
    ['an object with toJSON is what that says', { toJSON: () => ({ a: 1 }) }, { a: 1 }],
    ['a map has nothing that JSON shows', new Map([['a', 1]]), {}],
  ])('%s', (_what, output, json) => {
    expect(capOutput(output, ROOM, ROOM)).toEqual(json);
  });

  test('a value that refers to itself cannot be recorded, and the tool fails by it', () => {
    const output: { self?: unknown } = {};
    output.self = output;
    expect(() => capOutput(output, ROOM, ROOM)).toThrow(TypeError);
  });
});

describe('a result that is too long is cut, and the cut is marked', () => {
  test.each<[what: string, output: unknown, maxChars: number, json: Json]>([
    ['text of just the length stays', 'abcde', 5, 'abcde'],
    ['longer text', 'abcdef', 5, `abcde${cut(5, 6)}`],
    ['a value whose JSON text is of just the length stays', [1, 2], 5, [1, 2]],
    ['a value whose JSON text is longer becomes that text', [1, 23], 5, `[1,23${cut(5, 6)}`],
    ['no half of a character is left', '😀😀😀', 3, `😀${cut(2, 6)}`],
    ['a character at the very end stays whole', '😀😀😀', 4, `😀😀${cut(4, 6)}`],
  ])('%s', (_what, output, maxChars, json) => {
    expect(capOutput(output, maxChars, ROOM)).toEqual(json);
  });

  test.each<[what: string, text: string]>([
    ['letters', 'x'.repeat(3_000_000)],
    ['characters of three bytes', '中'.repeat(1_000_000)],
    ['characters of four bytes', '😀'.repeat(600_000)],
    ['line breaks, which JSON writes with two characters', '\n'.repeat(2_000_000)],
    ['control characters, which JSON writes with six', '\0'.repeat(500_000)],
    ['halves of characters, which JSON writes with six', '\ud83d'.repeat(500_000)],
  ])('down to what a payload takes, in bytes as they are sent: %s', (_what, text) => {
    const bytes = 1_500_000;
    const kept = asText(capOutput(text, 10_000_000, bytes));
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(bytes);
    expect(Buffer.byteLength(JSON.stringify(kept))).toBeGreaterThan(bytes * 0.85);
    const [, chars] = /\n\[cut: the first (\d+) of \d+ characters\]$/u.exec(kept) ?? [];
    expect(kept.startsWith(text.toWellFormed().slice(0, Number(chars)))).toBe(true);
  });
});

describe("another worker's result", () => {
  test.each<[what: string, result: unknown, maxChars: number, output: unknown, whole: boolean]>([
    ['that fits is the observation as it is recorded', 'found', 100, 'found', true],
    ['that is a value is one', { a: [1] }, 100, { a: [1] }, true],
    ['that is nothing is null', undefined, 100, null, true],
    ['that is long may be referred to', 'x'.repeat(500_000), 1_000_000, 'x'.repeat(500_000), true],
    ['that is too long is cut', 'x'.repeat(11), 10, `${'x'.repeat(10)}${cut(10, 11)}`, false],
    ['that is a value and too long is its text, cut', ['abc'], 5, `["abc${cut(5, 7)}`, false],
  ])('%s', (_what, result, maxChars, output, whole) => {
    expect(externalOutput(result, maxChars)).toEqual({ output, whole });
  });

  test('is cut, where it has to be, to what may travel', () => {
    const { output, whole } = externalOutput('x'.repeat(1_900_000), 1_800_000);
    expect(whole).toBe(false);
    expect(asText(output).length).toBeLessThan(128_100);
  });
});
