import { describe, expect, test } from 'vitest';
import { colorsFor, duration, firstRows, fit, lastRows, shellWord, table } from '../../cli/print/display.ts';
import { harmless } from '../../cli/print/harmless.ts';

describe('text on a terminal', () => {
  test.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdefg', 6, 'abcde…'],
    ['漢字漢字', 8, '漢字漢字'],
    ['漢字漢字', 7, '漢字漢…'],
    ['漢字漢字', 6, '漢字…'],
    ['👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5, '👩‍👩‍👧👩‍👩‍👧…'],
    ['', 3, ''],
  ])('%s fits into %i cells as %s', (text, cells, fitted) => {
    expect(fit(text, cells)).toBe(fitted);
  });

  test('columns are aligned where characters are two cells wide', () => {
    expect(
      table(
        [
          ['名前', 'x'],
          ['ab', 'a very long last column'],
        ],
        16,
      ),
    ).toEqual(['名前  x', 'ab    a very lo…']);
  });

  test.each([
    ['a short text', 'one\ntwo', 3, { text: 'one\ntwo', cut: 0 }],
    ['as many lines as there are rows', '1\n2\n3', 3, { text: '1\n2\n3', cut: 0 }],
    ['more lines than rows', '1\n2\n3\n4', 3, { text: '1\n2\n3', cut: 2 }],
    ['one line that takes more than all rows', 'x'.repeat(35), 3, { text: 'x'.repeat(30), cut: 5 }],
    ['wide characters', '漢'.repeat(20), 3, { text: '漢'.repeat(15), cut: 5 }],
    ['nothing', '', 3, { text: '', cut: 0 }],
  ])('the first rows, ten cells wide, of %s', (_title, text, rows, expected) => {
    expect(firstRows(text, rows, 10)).toEqual(expected);
  });

  test('a line of 400,000 wide characters is shown whole, and cut, without measuring it again and again', () => {
    const line = '漢'.repeat(400_000);
    expect(firstRows(line, Infinity, 100)).toEqual({ text: line, cut: 0 });
    expect(firstRows(line, 4, 100)).toEqual({ text: line.slice(0, 200), cut: 399_800 });
  });

  test('without a limit of rows nothing is cut', () => {
    const text = 'line\n'.repeat(1000);
    expect(firstRows(text, Infinity, 10)).toEqual({ text, cut: 0 });
  });

  test.each([
    ['the end of it', 'abcdefghij', 2, ['efgh', 'ij']],
    ['wide characters that do not fill a row', '漢字a漢字', 3, ['漢字', 'a漢', '字']],
    ['lines', 'a\nb\nc', 2, ['b', 'c']],
    ['tabs, which count two', '\tab', 2, ['  ab']],
  ])('the last rows, four cells wide, show %s', (_title, text, rows, expected) => {
    expect(lastRows(text, rows, 4)).toEqual(expected);
  });

  test('control characters of others do not reach the terminal', () => {
    expect(harmless('a\u{1b}[31mb\u{7}c\r\n\td\u{9b}e\rf')).toBe(
      'a\u{fffd}[31mb\u{fffd}c\n\td\u{fffd}e\u{fffd}f',
    );
  });

  test.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1.0 s'],
    [12_345, '12.3 s'],
    [60_000, '1 min'],
    [150_400, '2 min 30 s'],
  ])('%i ms reads %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  test.each([
    ['assistant-1a2b', 'assistant-1a2b'],
    ['my run', "'my run'"],
    ["it's", `'it'\\''s'`],
    ['$(x)', `'$(x)'`],
  ])('%s is %s for a shell', (text, word) => {
    expect(shellWord(text)).toBe(word);
  });

  test.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', {}, {}, false],
    ['NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
    ['FORCE_COLOR in a pipe', {}, { FORCE_COLOR: '1' }, true],
    ['NO_COLOR and FORCE_COLOR', {}, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
  ])('has colour or none for %s', (_title, output, env, coloured) => {
    expect(colorsFor({ write: () => true, ...output }, env).isColorSupported).toBe(coloured);
  });
});
