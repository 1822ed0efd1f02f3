import { describe, expect, test } from 'vitest';
import { root } from '../../../support/cli.ts';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

/** The modules of the page that need no browser. They are JavaScript, as the browser gets them. */
interface DiffLine {
  type: string;
  text: string;
}
interface Wait {
  key: string;
}
const { diffLines } = await pageModule<{ diffLines(before: string, after: string): DiffLine[] }>('diff.js');
const { readInput, readOutput, lasted } = await pageModule<{
  readInput(text: string, before: unknown): object;
  readOutput(text: string): unknown;
  lasted(ms: number): string;
}>('values.js');
const { createWaits } = await pageModule<{
  createWaits(): {
    isLoaded: boolean;
    connected(): void;
    add(message: { event: string; data: object }): void;
    list(id?: string): Wait[];
  };
}>('waits.js');

async function pageModule<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(join(root, 'gateway/inbox/page', name)).href)) as T; // as declared above
}

const SIGNS: { [type: string]: string } = { same: ' ', removed: '-', added: '+', gap: '~' };
const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ type, text }) => (SIGNS[type] ?? '?') + text);

describe('a diff', () => {
  test.each([
    ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
    ['a\nb', 'a\nb\nc', [' a', ' b', '+c']],
    ['a\nb\nc', 'c', ['-a', '-b', ' c']],
    ['a\nb\nc\nd', 'b\nx\nd', ['-a', ' b', '-c', '+x', ' d']],
    ['', 'a', ['-', '+a']],
    ['a', 'a', ['~1 unchanged line']],
  ])('of %j and %j has the fewest changes', (before, after, lines) => {
    expect(shown(before, after)).toEqual(lines);
  });

  test('keeps three unchanged lines around a change', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    expect(shown(lines.join('\n'), lines.join('\n').replace('line 10', 'other'))).toEqual([
      '~7 unchanged lines',
      ' line 7',
      ' line 8',
      ' line 9',
      '-line 10',
      '+other',
      ' line 11',
      ' line 12',
      ' line 13',
      '~6 unchanged lines',
    ]);
  });

  test('of two long texts without a common line replaces one by the other', () => {
    const text = (name: string) => Array.from({ length: 3000 }, (_, index) => `${name} ${index}`).join('\n');
    expect(diffLines(text('a'), text('b')).map(({ type }) => type)).toEqual([
      ...Array<string>(3000).fill('removed'),
      ...Array<string>(3000).fill('added'),
    ]);
  });
});

describe('an edited input', () => {
  test.each([
    ['{"a": 1}', {}, { value: { a: 1 } }],
    ['7', 3, { value: 7 }],
    ['{"a": 1}', 'a text', { value: '{"a": 1}' }],
    ['{', {}, { problem: expect.stringContaining('This is not JSON') }],
  ])('%j in the place of %j', (text, before, read) => {
    expect(readInput(text, before)).toEqual(read);
  });
});

test('a result is JSON if it is an object or a list, as for `reloop resolve`', () => {
  expect(['{"a":1}', '[1]', '990', 'true', 'paid {'].map(readOutput)).toEqual([
    { a: 1 },
    [1],
    '990',
    'true',
    'paid {',
  ]);
});

test('a wait lasts seconds, minutes, hours or days', () => {
  expect([-5, 59_000, 61_000, 3_700_000, 200_000_000].map(lasted)).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '1 h',
    '2 days',
  ]);
});

describe('the list of waits', () => {
  const run = (id: string, ...since: number[]) => ({
    event: 'waiting',
    data: { run: { id, calls: since.map((at, index) => ({ call: `1.${index + 1}`, n: 0, since: at })) } },
  });
  const caughtUp = { event: 'caught_up', data: { more: false } };

  test('has the longest wait first, and the waits of one run where they are asked for', () => {
    const waits = createWaits();
    [run('a', 3, 1), run('b', 2), caughtUp].forEach((message) => waits.add(message));
    expect(waits.list().map(({ key }) => key)).toEqual(['a 1.2 0', 'b 1.1 0', 'a 1.1 0']);
    expect(waits.list('b').map(({ key }) => key)).toEqual(['b 1.1 0']);
  });

  test('keeps what it has until a new connection has brought everything again', () => {
    const waits = createWaits();
    [run('a', 1), run('b', 2), run('c', 3), caughtUp].forEach((message) => waits.add(message));
    waits.connected();
    [run('b', 2), { event: 'over', data: { id: 'c' } }].forEach((message) => waits.add(message));
    expect(waits.list().map(({ key }) => key)).toEqual(['a 1.1 0', 'b 1.1 0']);
    waits.add(caughtUp);
    expect(waits.list().map(({ key }) => key)).toEqual(['b 1.1 0']);
  });
});
