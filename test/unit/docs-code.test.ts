import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { root } from '../support/cli.ts';
import { pages, textOf } from '../support/doc-pages.ts';
import { type Exports, type PageModule, modulesOf } from '../support/page-code.ts';

/** Each `ts` block of the pages compiles against the package's own types, as a reader's project has them. */
const project = mkdtempSync(join(tmpdir(), 'reloop-pages-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const entries = ['reloop', 'reloop/client', 'reloop/workflows', 'reloop/testing'];

test('every ts block of README and docs compiles', async () => {
  const exports = await exportsOfPackage();
  const modules = pages.flatMap((page) => modulesOf(page, textOf(page), exports));
  expect(modules.length).toBeGreaterThan(20);
  expect(await compiled(modules)).toEqual([]);
}, 120_000);

test('a block with a mistake is found, and where it is', async () => {
  const text = "# A page\n\n```ts\nconst run = client.get(id);\nawait run.rewnd({ step: '3' });\n```\n";
  const errors = await compiled(modulesOf('wrong.md', text, []));
  expect(errors).toEqual([expect.stringMatching(/^wrong\.md:5: .*'rewnd' does not exist/u)]);
}, 120_000);

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
  for (const name of ['zod', '@temporalio', '@types/node', 'vitest'])
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
