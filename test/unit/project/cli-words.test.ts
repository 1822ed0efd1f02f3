import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { sanitizeForTerminal } from '../../../agent/text/sanitize.ts';
import { cli } from '../../../cli/cli.ts';
import {
  dollarLimit,
  flagsToRepeat,
  milliseconds,
  variable,
  wholeLimit,
} from '../../../cli/options/options.ts';
import { createProgram } from '../../../cli/program.ts';
import { duration } from '../../../features/render/words/amounts.ts';
import { colorsFor, firstRows, fit, lastRows, table } from '../../../cli/shell/display.ts';
import { UsageError, failureOf } from '../../../cli/shell/io.ts';
import { shellWord } from '../../../client/connect/cli-name.ts';
import {
  DecisionRefused,
  InvalidInput,
  RunNotFound,
  TemporalUnreachable,
} from '../../../client/connect/errors.ts';
import { ConfigError } from '../../../config/define.ts';
import { fakeIo } from '../../support/fake-io.ts';

async function typed(words: string[]) {
  const io = fakeIo();
  return { code: await cli(words, io), err: io.err() };
}

function leaves({ commands }: Command): Command[] {
  return commands.flatMap((command) => (command.commands.length > 0 ? leaves(command) : [command]));
}

function takesWords(command: Command): boolean {
  return command.usage().includes('<') || command.options.some(({ mandatory }) => mandatory);
}

const commands = leaves(createProgram(fakeIo(), '', () => undefined));

function pathOf(command: Command): string[] {
  const { parent } = command;
  return parent?.parent === null ? [command.name()] : [parent?.name() ?? '', command.name()];
}

describe('every command', () => {
  test.each(commands.filter((command) => takesWords(command) && command.name() !== 'complete'))(
    '$_name without its words says how it is typed, with an example that has all of them',
    async (command) => {
      const path = pathOf(command);
      const { code, err } = await typed(path);
      expect(code).toBe(2);
      const [, example = ''] = /^error: .* Usage: reloop .*, for example: reloop (.*)\n$/u.exec(err) ?? [];
      expect(example).not.toMatch(/[<[]/u);
      const words = [...example.matchAll(/"[^"]*"|\S+/gu)];
      const needed = command.usage().split('<').length - 1;
      const options = command.options.filter(({ mandatory }) => mandatory).length;
      expect(words).toHaveLength(path.length + needed + 2 * options);
    },
  );

  const durations = commands.flatMap((command) =>
    command.options
      .filter(({ flags }) => flags.includes('<duration>'))
      .map(({ long }) => [pathOf(command).join(' '), long ?? '']),
  );
  test.each(durations)('%s %s refuses a number without a unit', async (command, option) => {
    const { code, err } = await typed([...command.split(' '), 'a', 'b', option, '30']);
    expect(code).toBe(2);
    expect(err).toContain('Write a number and its unit: 30s, 10m or 1h.');
  });
});

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
    const rows = [
      ['名前', 'x'],
      ['ab', 'a very long last column'],
    ];
    expect(table(rows, 16)).toEqual(['名前  x', 'ab    a very lo…']);
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

  test.each([
    ['the end of it', 'abcdefghij', 2, ['efgh', 'ij']],
    ['wide characters that do not fill a row', '漢字a漢字', 3, ['漢字', 'a漢', '字']],
    ['lines', 'a\nb\nc', 2, ['b', 'c']],
    ['tabs, which count two', '\tab', 2, ['  ab']],
  ])('the last rows, four cells wide, show %s', (_title, text, rows, expected) => {
    expect(lastRows(text, rows, 4)).toEqual(expected);
  });

  test('control characters of others do not reach the terminal', () => {
    const shown = 'a\u{fffd}[31mb\u{fffd}c\n\td\u{fffd}e\u{fffd}f';
    expect(sanitizeForTerminal('a\u{1b}[31mb\u{7}c\r\n\td\u{9b}e\rf')).toBe(shown);
  });

  const durations = { '0 ms': 0, '999 ms': 999, '1.0 s': 1000, '12.3 s': 12_345, '1 min': 60_000 };
  test.each(Object.entries({ ...durations, '2 min 30 s': 150_400 }))('%s is %i ms', (text, ms) => {
    expect(duration(ms)).toBe(text);
  });

  const shellWords = { 'my run': "'my run'", "it's": `'it'\\''s'`, '$(x)': `'$(x)'` };
  test.each(Object.entries({ 'assistant-1a2b': 'assistant-1a2b', ...shellWords }))(
    '%s is %s for a shell',
    (text, word) => {
      expect(shellWord(text)).toBe(word);
    },
  );

  test.each([
    ['a terminal', { isTTY: true }, {}, true],
    ['a pipe', {}, {}, false],
    ['NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
    ['FORCE_COLOR in a pipe', {}, { FORCE_COLOR: '1' }, true],
    ['NO_COLOR and FORCE_COLOR', {}, { NO_COLOR: '1', FORCE_COLOR: '1' }, false],
    ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
  ])('has colour or none for %s', (_title, output, env, coloured) => {
    expect(colorsFor(output, env).isColorSupported).toBe(coloured);
  });
});

describe('options', () => {
  const typedMs = {
    '250ms': 250,
    '30s': 30_000,
    '1.5s': 1500,
    '10m': 600_000,
    '2h': 7_200_000,
    '1d': 86_400_000,
  };
  test.each(Object.entries(typedMs))('%s is %i ms', (text, ms) => {
    expect(milliseconds(text)).toBe(ms);
  });

  test.each(['', 's', '-1s', '1 week', '1s30', '30', '0', '1.5', ' 30 '])('"%s" is no duration', (text) => {
    expect(() => milliseconds(text)).toThrow('30s');
  });

  test.each(Object.entries({ none: 'none', 0: 0, 15: 15 }))('%s as a whole limit is %s', (text, limit) => {
    expect(wholeLimit(text)).toBe(limit);
  });

  test.each(Object.entries({ none: 'none', 0: 0, '0.50': 0.5 }))('%s in US dollars is %s', (text, amount) => {
    expect(dollarLimit(text)).toBe(amount);
  });

  test.each(['', '$1', '-1', '1,50', '1e3', '.5', 'Infinity'])('"%s" is not US dollars', (text) => {
    expect(() => dollarLimit(text)).toThrow('0.50');
  });

  test.each(Object.entries({ 'a=1': { a: '1' }, 'a=': { a: '' }, 'name=x = y\nz': { name: 'x = y\nz' } }))(
    '%j is a variable',
    (text, values) => {
      expect(variable(text)).toEqual(values);
      expect(variable(text, { b: '2' })).toEqual({ b: '2', ...values });
    },
  );

  test.each(['', 'a', '=1', 'a b=1'])('"%s" is no variable', (text) => {
    expect(() => variable(text)).toThrow('name=value');
  });

  test('commands to type name the server and the config that were named', () => {
    const options = { address: 'host:1', config: 'my config.ts', json: true };
    expect(flagsToRepeat(options)).toEqual(['--address', 'host:1', '--config', "'my config.ts'"]);
  });
});

describe('the exit code', () => {
  test.each([
    ['a wrong command line', new UsageError('x'), 2],
    ['a broken config', new ConfigError('x'), 2],
    ['a question that cannot be', new InvalidInput('x'), 2],
    ['a run that is not there', new RunNotFound('x'), 2],
    ['a decision that does not fit', new DecisionRefused('x'), 2],
    ['no server', new TemporalUnreachable('x'), 5],
    ['a server that went away', grpcError(14, 'gone'), 5],
    ['a server that went away, behind another error', new Error('x', { cause: grpcError(14, 'gone') }), 5],
    ['anything else of the server', grpcError(13, 'internal'), 1],
    ['anything else', new TypeError('x'), 1],
    ['something that is not an error', 'x', 1],
  ])('tells apart what went wrong: %s', (_title, error, code) => {
    expect(failureOf(error).code).toBe(code);
  });

  test('a message of several lines is printed as one', () => {
    expect(failureOf(new UsageError('first\n  second')).line).toBe('error: first second');
  });

  test('a refused decision is called as it is typed', () => {
    const error = new DecisionRefused('cancelCall: there is no open call 3.1. Possible: cancelCall.');
    expect(failureOf(error).line).toBe('error: cancel: there is no open call 3.1. Possible: cancel.');
  });

  test('the words of the server are kept in the error of the client', () => {
    const error = new Error('Failed to start Workflow', { cause: grpcError(3, 'blob too large') });
    expect(failureOf(error).line).toBe('error: Failed to start Workflow: blob too large');
  });
});

function grpcError(code: number, details: string): Error {
  return Object.assign(new Error(`${code}: ${details}`), { code, details });
}
