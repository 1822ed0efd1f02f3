import { describe, expect, test } from 'vitest';
import { essence, transcriptsIn, withOutputs } from '../../support/transcripts.ts';

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
