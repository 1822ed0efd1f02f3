import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { slowestLines } from '../support/summary-reporter.ts';
import { tempFolder } from '../support/temp-folder.ts';

const project = resolve(import.meta.dirname, '../..');
let root: string;

beforeEach(() => {
  root = tempFolder(onTestFinished);
  symlinkSync(join(project, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(
    join(root, 'vitest.config.ts'),
    `import { summaryReporter } from ${JSON.stringify(join(project, 'test/support/summary-reporter.ts'))};
     export default { test: { reporters: ['default', summaryReporter], globals: true, globalSetup: ['setup.ts'] } };`,
  );
  writeFileSync(join(root, 'setup.ts'), "export default () => () => console.log('taken down');");
});

const THROWS = "throw new Error('no');";
const skips = `test('a', () => {}); test('b', () => { ${THROWS} }); test.skip('c', () => {});`;
const hook = `describe('a', () => { beforeAll(() => { ${THROWS} }); test('b', () => {}); });`;
const stray = "test('a', () => { void Promise.reject(new Error('no')); });";

test.each([
  ['passing tests', "test('a', () => {}); test('b', () => {});", '2 passed, 0 failed'],
  ['a failing and a skipped test', skips, '1 passed, 1 failed, 1 skipped'],
  ['an import of nothing', "import './gone.ts'; test('a', () => {});", '0 passed, 1 failed'],
  ['a hook that fails', hook, '0 passed, 1 failed, 1 skipped'],
  ['an error nobody catches', stray, '1 passed, 1 failed'],
])('a test file with %s ends the output with its counts', async (_holds, code, line) => {
  writeFileSync(join(root, 'some.test.ts'), code);
  const { stdout } = await execa('node_modules/.bin/vitest', ['run'], { cwd: root, reject: false });
  expect(stdout.split('\n').at(-1)).toBe(line);
  expect(stdout).toContain('taken down');
});

test('ten files are no news; of more the ten longest are named, and those that are too long for npm test', () => {
  const file = (name: number) => `test/unit/${name}.test.ts`;
  const files = Array.from({ length: 10 }, (_, name): [string, number] => [file(name), name]);
  const few = Object.fromEntries(files);
  const stored = { [file(9)]: 8 };
  expect(slowestLines(few, stored)).toEqual([]);
  const long = { 'test/workflow/a.test.ts': 20.1, 'test/release/b.test.ts': 90 };
  expect(slowestLines({ ...few, ...long }, stored)).toEqual([
    'The longest files:',
    '   90.0 s test/release/b.test.ts (new)',
    '   20.1 s test/workflow/a.test.ts (new)',
    '    9.0 s test/unit/9.test.ts (8.0 s stored)',
    ...[8, 7, 6, 5, 4, 3, 2].map((name) => `    ${name}.0 s ${file(name)} (new)`),
    'warning: more than 20 s: test/workflow/a.test.ts. What takes so long on an idle machine belongs into test/release.',
  ]);
  const more = { ...long, 'test/unit/c.test.ts': 30 };
  expect(slowestLines({ ...few, ...more }, stored).at(-1)).toContain('test/unit/c.test.ts and 1 others.');
  expect(slowestLines({ ...few, [file(10)]: 20 }, stored)).toHaveLength(11);
});
