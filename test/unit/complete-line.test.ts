import { describe, expect, test } from 'vitest';
import { placeOf } from '../../cli/completion/candidates.ts';
import { forBash, readCommandLine } from '../../cli/completion/command-line.ts';
import { createProgram } from '../../cli/program.ts';
import { fakeIo } from '../support/fake-io.ts';

const program = createProgram(fakeIo(), '0', () => undefined);

function wanted(line: string) {
  const { words, current } = readCommandLine(line);
  return placeOf(program, words.slice(1), current);
}

function wordsFor(line: string): string[] {
  const place = wanted(line);
  return place.wanted.type === 'words' ? place.wanted.words.map(({ word }) => word) : [];
}

describe('a command line', () => {
  test.each([
    ['reloop show a', ['reloop', 'show'], 'a'],
    ['reloop show ', ['reloop', 'show'], ''],
    ['reloop show order:5', ['reloop', 'show'], 'order:5'],
    ["reloop show 'two wor", ['reloop', 'show'], 'two wor'],
    ['reloop show two\\ wor', ['reloop', 'show'], 'two wor'],
    ['reloop say "a \\"b\\" c" d', ['reloop', 'say', 'a "b" c'], 'd'],
    ['cd x && reloop li', ['reloop'], 'li'],
  ])('%j is read as a shell reads it', (line, words, current) => {
    expect(readCommandLine(line)).toMatchObject({ words, current });
  });

  test.each([
    ['reloop show ', 'two words', 'two\\ words'],
    ["reloop show 'two", "two 'words'", "two '\\''words'\\''"],
    ['reloop show order:', 'order:5 x', '5\\ x'],
    ['reloop list --status=', '--status=waiting', 'waiting'],
  ])('%j gets %j in the way bash puts it there', (line, word, put) => {
    expect(forBash(word, readCommandLine(line), ' \t\n"\'><=;|&(:')).toBe(put);
  });
});

describe('what may stand at the cursor', () => {
  test('is every command of the program, but those that are hidden', () => {
    const commands = program.commands.map((command) => command.name()).filter((name) => name !== 'complete');
    expect(wordsFor('reloop ').toSorted()).toEqual([...commands, 'help'].toSorted());
    expect(wordsFor('reloop help ').toSorted()).toEqual(commands.toSorted());
  });

  test.each([
    ['reloop retry ', { type: 'runs', which: { of: 'waiting', command: 'retry' } }],
    ['reloop approve r1 ', { type: 'calls', run: 'r1', command: 'approve' }],
    ['reloop say ', { type: 'runs', which: { of: 'open' } }],
    ['reloop cancel --reason "no more" ', { type: 'runs', which: { of: 'open' } }],
    ['reloop show --json ', { type: 'runs', which: { of: 'any' } }],
    ['reloop fork ', { type: 'runs', which: { of: 'any' } }],
    ['reloop chat ', { type: 'agents' }],
    ['reloop list --agent ', { type: 'agents' }],
    ['reloop run a --session ', { type: 'sessions' }],
    ['reloop session show ', { type: 'sessions' }],
    ['reloop show r1 --config ', { type: 'files' }],
  ])('of %j are names that are looked up', (line, names) => {
    expect(wanted(line).wanted).toEqual(names);
  });

  test.each([
    ['reloop completion ', ['bash', 'zsh', 'fish']],
    ['reloop session ', ['list', 'show', 'clear']],
    ['reloop approve r1 --remember ', ['tool', 'input']],
    [
      'reloop list --status ',
      ['running', 'waiting', 'paused', 'completed', 'stopped', 'failed', 'cancelled'],
    ],
    ['reloop run a "what?" ', []],
  ])('of %j are words of the program', (line, words) => {
    expect(wordsFor(line)).toEqual(words);
  });

  test('of an option with = is its value, with the option in front; of a dash, the options of the command', () => {
    expect(wanted('reloop list --status=').prefix).toBe('--status=');
    expect(wordsFor('reloop rewind x --')).toContain('--to');
    expect(wanted('reloop show --config a.ts --address h:1 ')).toMatchObject({
      config: 'a.ts',
      address: 'h:1',
    });
  });
});
