import { describe, expect, test } from 'vitest';
import { essence, transcriptsIn, withOutputs } from '../support/transcripts.ts';

const page = `# A page

\`\`\`sh
$ not this one
\`\`\`

\`\`\`console
$ first --id a
one

two

$ second
\`\`\`

Text.

\`\`\`console
$ third
\`\`\`
`;

describe('the transcripts of a page', () => {
  test('are the commands of its console blocks, with what stands below them', () => {
    expect(transcriptsIn(page)).toEqual([
      { command: 'first --id a', output: 'one\n\ntwo', line: 8 },
      { command: 'second', output: '', line: 13 },
      { command: 'third', output: '', line: 19 },
    ]);
  });

  test('are written back without a change where nothing has changed', () => {
    const outputs = new Map(transcriptsIn(page).map(({ line, output }) => [line, output]));
    expect(withOutputs(page, outputs)).toBe(page);
  });

  test('are replaced where commands print something else', () => {
    const outputs = new Map([
      [8, 'new'],
      [13, 'of second\nin two lines'],
      [19, 'of third'],
    ]);
    const updated = withOutputs(page, outputs);
    expect(transcriptsIn(updated).map(({ output }) => output)).toEqual([...outputs.values()]);
    expect(updated).toContain('\nText.\n');
    expect(updated).toContain('$ not this one');
  });
});

describe('two outputs', () => {
  test.each([
    ['a time', 'at 2026-11-21 20:10:17', 'at 2026-11-22 09:00:00'],
    ['a duration', '[1] 676 ms · 221 + 13 tokens', '[1] 1.2 s · 221 + 13 tokens'],
    ['a long duration', 'stopped · 2 h 3 min', 'stopped · 12 s'],
    ['an address', 'http://127.0.0.1:8233/namespaces', 'http://127.0.0.1:41591/namespaces'],
    [
      'the id of a Temporal run',
      '01a1ffba-118e-7550-ac55-9fc44cc8e21f',
      '11a1ffba-118e-7550-ac55-9fc44cc8e21f',
    ],
    [
      'a size',
      'history: 117 events, 28,645 bytes, 9 billed actions',
      'history: 26 events, 887 bytes, 1 billed action',
    ],
    ['tokens and cost', '221 + 13 tokens · <$0.0001', '1,222 + 9 tokens · $0.12'],
    ['a number of JSON', '"durationMs": 12, "cost": 0.5', '"durationMs": 7, "cost": 0.1'],
    ['blanks at the end', 'one  \n', 'one'],
  ])('are alike where they differ in %s', (_what, one, other) => {
    expect(essence(one)).toBe(essence(other));
  });

  test.each([
    ['a word', 'Waiting for you: report (1.1) failed', 'Waits for you: report (1.1) failed'],
    ['a number', '5 steps · 5 model calls', '5 steps · 6 model calls'],
    ['a command', 'reloop retry march', 'reloop retry april'],
    ['another number of JSON', '"iterations": 1', '"iterations": 2'],
    ['a line', 'one\n\ntwo', 'one\ntwo'],
    ['a place in the Web UI', 'http://127.0.0.1:1/namespaces/a', 'http://127.0.0.1:1/namespaces/b'],
  ])('are not alike where they differ in %s', (_what, one, other) => {
    expect(essence(one)).not.toBe(essence(other));
  });
});
