import { describe, expect, test } from 'vitest';
import { PY_SPACE, pyLastCharacter, pyStrip } from '../../agent/reply/python-text.ts';

// Recorded with Python 3.11: every character for which str.isspace() is true.
const PYTHON_BLANKS = [
  0x9, 0xa, 0xb, 0xc, 0xd, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
  0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
];

describe('white space is what Python says it is', () => {
  test('where a pattern looks for it', () => {
    const blank = new RegExp(`^${PY_SPACE}$`, 'u');
    const matching = [...Array(0x10000).keys()].filter((code) => blank.test(String.fromCharCode(code)));
    expect(matching).toEqual(PYTHON_BLANKS);
  });

  test('where it is stripped', () => {
    const stripped = [...Array(0x10000).keys()].filter((code) => pyStrip(String.fromCharCode(code)) === '');
    expect(stripped).toEqual(PYTHON_BLANKS);
  });
});

describe('strip', () => {
  test.each<[what: string, text: string, characters: string | undefined, stripped: string]>([
    ['takes blanks off both ends', '\t\n a b \x85\u3000', undefined, 'a b'],
    ['leaves a text without blanks as it is', 'a', undefined, 'a'],
    ['leaves nothing of blanks alone', ' \n\t ', undefined, ''],
    ['leaves an empty text empty', '', undefined, ''],
    ['leaves a BOM and a zero-width space, unlike JavaScript', '\ufeffa\u200b', undefined, '\ufeffa\u200b'],
    ['takes only the characters that it is given', ' "a" ', '"', ' "a" '],
    ['takes them as often as they come', '"""a"""', '"', 'a'],
    ['takes any of several', '"\'a\'"', '\'"', 'a'],
    ['leaves other blanks when told to take spaces', ' \na\t ', ' ', '\na\t'],
    ['leaves characters of two code units whole', ' 😀 ', undefined, '😀'],
  ])('%s', (_what, text, characters, stripped) => {
    expect(pyStrip(text, characters)).toBe(stripped);
  });
});

describe('the last character begins', () => {
  test.each<[what: string, text: string, at: number]>([
    ['one before the end', 'abc', 2],
    ['two before the end where it takes two code units', 'a😀', 1],
    ['one before the end behind such a character', '😀a', 2],
    ['one before the end for half a character', 'a\ud83d', 1],
  ])('%s', (_what, text, at) => {
    expect(pyLastCharacter(text)).toBe(at);
  });
});
