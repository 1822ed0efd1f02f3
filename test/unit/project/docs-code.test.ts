import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../support/cli.ts';
import { pages, textOf } from '../../support/doc-pages.ts';
import { blocksOf } from '../../support/page-blocks.ts';
import { type Exports, type PageModule, modulesOf } from '../../support/page-code.ts';
import { isCommand, stepsOf } from '../../support/page-commands.ts';
import { tempFolder } from '../../support/temp-folder.ts';

/** Each `ts` block of the pages compiles against the package's own types, as a reader's project has them. */
const project = tempFolder();

const entries = ['reloop', 'reloop/client', 'reloop/workflows', 'reloop/testing', 'reloop/evals'];

const MISTAKE = "# A page\n\n```ts\nconst run = client.get(id);\nawait run.rewnd({ step: '3' });\n```\n";
const isOfMistake = (error: string) => error.startsWith('wrong.md:');
let modules: PageModule[];
let errors: string[];
beforeAll(async () => {
  const exports = await exportsOfPackage();
  modules = pages.flatMap((page) => modulesOf(page, textOf(page), exports));
  errors = await compiled([...modules, ...modulesOf('wrong.md', MISTAKE, [])]);
}, 120_000);

test('every ts block of README and docs compiles', () => {
  expect(modules.length).toBeGreaterThan(20);
  expect(errors.filter((error) => !isOfMistake(error))).toEqual([]);
});

test('a block with a mistake is found, and where it is', () => {
  const found = [expect.stringMatching(/^wrong\.md:5: .*'rewnd' does not exist/u)];
  expect(errors.filter(isOfMistake)).toEqual(found);
});

/** By name, so that a fragment may leave imports out. Types are imported in full wherever a page uses them. */
async function exportsOfPackage(): Promise<Exports> {
  return Promise.all(
    entries.map(async (entry) => {
      const all = (await import(entry)) as object; // the package by its own name
      return [entry, new Set(Object.keys(all))] as const;
    }),
  );
}

/** What the compiler says, each with its place in the page. */
async function compiled(modules: readonly PageModule[]): Promise<string[]> {
  layOut();
  const placed = new Map(modules.map((module, index) => [fileName(module, index), module]));
  for (const folder of ['.', ...new Set([...placed.keys()].map(dirname))]) {
    mkdirSync(join(project, folder), { recursive: true });
    writeFileSync(join(project, folder, 'reloop.config.ts'), CONFIG);
    for (const name of ['price.ts', 'demo-model.ts'])
      copyFileSync(join(root, 'examples/template', name), join(project, folder, name));
  }
  for (const [file, { prelude, code }] of placed) {
    writeFileSync(join(project, file), `${prelude}\n${code}\nexport {};\n`);
  }
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const files = ['ambient.d.ts', ...placed.keys()];
  const { stdout } = await promisify(execFile)(process.execPath, [compiler, ...FLAGS, ...files], {
    cwd: project,
  }).catch((error: { stdout: string }) => error);
  return stdout
    .split('\n')
    .filter((line) => line.includes('error TS'))
    .map((line) => placeIn(placed, line));
}

const FLAGS =
  '--ignoreConfig --noEmit --strict --skipLibCheck --allowImportingTsExtensions --module nodenext --target es2023 --types node --pretty false'.split(
    ' ',
  );

/** The package as npm puts it; what else the pages import is the checkout's. */
function layOut(): void {
  const packages = join(project, 'node_modules');
  rmSync(project, { recursive: true, force: true });
  mkdirSync(join(packages, '@types'), { recursive: true });
  symlinkSync(root, join(packages, 'reloop'));
  for (const name of [
    'zod',
    'openai',
    '@temporalio',
    '@opentelemetry',
    '@modelcontextprotocol',
    '@types/node',
    'vitest',
    'standardwebhooks',
    '@ag-ui',
    '@a2a-js',
  ])
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'ambient.d.ts'), AMBIENT);
}

/** What `./reloop.config.ts` is, where a page does not say. */
const CONFIG = "import { defineConfig } from 'reloop';\nexport default defineConfig({ agents: [] });\n";

/** Packages that the pages speak of and that are not installed here. */
const AMBIENT = `
declare module '@langchain/core/tools' {
  export function tool(run: (input: any) => unknown, options: { name: string; description: string; schema: unknown }): any;
}
declare module '@ai-sdk/*' {
  export function anthropic(model: string): any;
  export function google(model: string): any;
}
`;

/** Blocks that name a file are beside those that import it. */
function fileName({ page, file }: PageModule, index: number): string {
  return `${page.replaceAll(/\W/gu, '-')}/${file ?? `block-${index}.ts`}`;
}

function placeIn(placed: ReadonlyMap<string, PageModule>, error: string): string {
  const [, file = '', line = '', said = error] = /^(\S+?)\((\d+),\d+\): (.*)$/u.exec(error) ?? [];
  const module = placed.get(file);
  return module === undefined ? error : `${module.page}:${module.line + Number(line) - 2}: ${said}`;
}

/** The languages that a block may have, and who looks at it. */
const LANGUAGES = new Map([
  ['sh', 'commands: test/release types them'],
  ['console', 'commands and what they print: test/release types them and compares'],
  ['ts', 'compiled by docs-code.test.ts'],
  ['python', 'of other languages'],
  ['ini', 'a unit: test/release/systemd.test.ts verifies and carries it out'],
  ['go', 'of other languages'],
  ['tsx', 'a page: test/release/ui-protocols.test.ts opens it in a browser'],
  ['json', ''],
  ['yaml', ''],
  ['dockerfile', ''],
  ['toml', ''],
  ['text', 'what something prints'],
  ['js', 'of packages that are not installed here'],
  ['', 'what something prints; no commands'],
]);

/** Pages whose commands are about a checkout of this repository, which CI types: `.ci/run`. */
const OF_A_CHECKOUT = ['CONTRIBUTING.md', 'docs/CHANGELOG.md'];

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
