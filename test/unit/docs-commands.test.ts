import { describe, expect, test } from 'vitest';
import { pages, textOf } from '../support/doc-pages.ts';
import { blocksOf } from '../support/page-blocks.ts';
import { isCommand, stepsOf } from '../support/page-commands.ts';

/** The languages that a block may have, and who looks at it. */
const LANGUAGES = new Map([
  ['sh', 'commands: test/docs types them'],
  ['console', 'commands and what they print: test/docs types them and compares'],
  ['ts', 'compiled by docs-code.test.ts'],
  ['python', 'of other languages'],
  ['json', ''],
  ['yaml', ''],
  ['dockerfile', ''],
  ['toml', ''],
  ['text', 'what something prints'],
  ['js', 'of packages that are not installed here'],
  ['', 'what something prints; no commands'],
]);

/** Pages whose commands are about a checkout of this repository, which CI types: `.ci/run`. */
const OF_A_CHECKOUT = ['CONTRIBUTING.md', 'CHANGELOG.md'];

describe('the commands of the pages', () => {
  test.each(pages)('in %s stand in blocks that say what they are', (page) => {
    const unknown = blocksOf(textOf(page)).filter(({ language }) => !LANGUAGES.has(language));
    expect(unknown.map(({ line, language }) => `${page}:${line} \`\`\`${language}`)).toEqual([]);
    const plain = blocksOf(textOf(page)).filter(({ language }) => language === '' || language === 'text');
    expect(plain.filter(({ lines }) => lines.some(isTyped)).map(({ line }) => `${page}:${line}`)).toEqual([]);
    expect(indentedBlocksOf(textOf(page))).toEqual([]);
  });

  test('are typed by a test, or say why not', () => {
    const commands = pages
      .filter((page) => !OF_A_CHECKOUT.includes(page))
      .flatMap((page) => stepsOf(textOf(page)).filter(isCommand));
    const left = commands.filter(({ notRun }) => notRun !== undefined);
    expect(left.filter(({ notRun = '' }) => notRun.length < 10)).toEqual([]);
    // Most are typed; a page that explains them away is found here.
    expect(left.length).toBeLessThan(commands.length / 4);
  });
});

describe('a page', () => {
  const page = [
    '```sh',
    'one --a \\',
    '  --b',
    '# said',
    'two',
    '```',
    '',
    '<!-- expect: done -->',
    '',
    '<!-- stays: Ctrl-C ends it -->',
    '',
    '```sh',
    'three',
    '```',
    '',
    '<!-- not run: it takes an hour -->',
    '<!-- exit: 4 -->',
    '',
    '```sh',
    'four',
    '```',
    '',
    '```ts',
    '// shop.ts',
    'export {};',
    '```',
    '',
    '```console',
    '$ five',
    'its output',
    '```',
  ].join('\n');

  test('has its reader type commands and write files, in order', () => {
    expect(stepsOf(page)).toEqual([
      { command: 'one --a --b', line: 3, expected: [], exit: 0 },
      { command: 'two', line: 5, expected: ['done'], exit: 0 },
      { command: 'three', line: 13, expected: [], exit: 0, stays: 'Ctrl-C ends it' },
      { command: 'four', line: 20, expected: [], exit: 4, notRun: 'it takes an hour' },
      { file: 'shop.ts', text: '// shop.ts\nexport {};\n', line: 24 },
      { command: 'five', line: 29, expected: [], exit: null, output: 'its output' },
    ]);
  });
});

/** A command in a block that nobody types: it has to be a `sh` block. */
function isTyped(line: string): boolean {
  return /^(?:\$ |npx |npm |node |reloop [a-z]+ |docker |cd |python3? |curl )/u.test(line);
}

/** Commands in blocks without a fence would be nobody's. */
function indentedBlocksOf(text: string): string[] {
  const lines = text.split('\n');
  const inFence = new Set(
    blocksOf(text).flatMap(({ line, lines: { length } }) => Array.from({ length }, (_, n) => line + n)),
  );
  return lines.filter(
    (line, index) => /^ {4}\S/u.test(line) && lines[index - 1] === '' && !inFence.has(index + 1),
  );
}
