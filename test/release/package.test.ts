import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanEnv, root } from '../support/cli.ts';
import { type Packed, packInto } from '../support/packed.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** The package as npm gives it to a project that has nothing else, once as ES modules and once as CommonJS. */
const project = tempFolder();

const run = promisify(execFile);
/** The examples of docs/tools.md, from the first tool to its test. */
const documented = [...readFileSync(join(root, 'docs/tools.md'), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gmu)]
  .slice(0, 2)
  .map(([, code]) => code)
  .join('\n');
const program = readFileSync(new URL('../fixtures/package-user.ts', import.meta.url), 'utf8');
const {
  exports: entries,
  engines,
  version,
} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: { [entry: string]: unknown };
  engines: { node: string };
  version: string;
};
const names = Object.keys(entries)
  .filter((entry) => !entry.endsWith('.json'))
  .map((entry) => entry.replace('.', 'reloop'));
/** What a project may be, and the folder of the one that is. */
const TYPES = ['module', 'commonjs'];
let packed: Packed;
/** The lowest version that the package supports, and the two that get security fixes. */
const NODES = [`${engines.node.replace('>=', '')}.0`, '22', '24'];
const nodes = mkdtempSync(join(tmpdir(), 'reloop-nodes-'));
afterAll(() => rmSync(nodes, { recursive: true, force: true }));

beforeAll(async () => {
  packed = packInto(project);
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true }));
  // The cache has what the checkout was installed from.
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  const binaries = NODES.map((node) => `node-${node}@npm:node-${process.platform}-${process.arch}@${node}`);
  await Promise.all([
    // `reloop/gateway` needs these optional peers.
    run('npm', ['install', ...quietly, packed.file, 'hono', '@hono/zod-openapi'], { cwd: project }),
    run('npm', ['install', ...quietly, '--prefix', nodes, ...binaries]),
  ]);
  // A project that is checked by TypeScript has Node's types; these are ours.
  mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
  const types = join(project, 'node_modules/@types/node');
  rmSync(types, { recursive: true, force: true });
  symlinkSync(join(root, 'node_modules/@types/node'), types);
  for (const type of TYPES) {
    mkdirSync(join(project, type));
    writeFileSync(join(project, type, 'package.json'), JSON.stringify({ private: true, type }));
    writeFileSync(join(project, type, 'user.ts'), program);
    writeFileSync(join(project, type, 'documented.ts'), documented);
  }
}, 300_000);

const installed = join(project, 'node_modules/reloop');

test('holds the build, the pages, the examples and the licence, and nothing that only the checkout needs', () => {
  const meant = ['dist', 'docs', 'examples', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md'];
  const tops = [...new Set(packed.paths.map((path) => path.split('/')[0] ?? ''))];
  expect(tops).toEqual(expect.arrayContaining(meant));
  expect(tops.filter((top) => ![...meant, 'package.json'].includes(top))).toEqual([]);
  const built = packed.paths.filter((path) => path.startsWith('dist/'));
  expect(built.filter((path) => /\/test\/|\.test\.|\.map$|(?<!\.d)\.ts$|build-/u.test(path))).toEqual([]);
  expect(built).toEqual(expect.arrayContaining(['dist/cli/main.js', 'dist/workflows/bundle.js']));
});

test('says nowhere on which machine it was built, nor in the source map of its workflows', () => {
  const machine = [root, homedir()].filter((path) => path.length > 1);
  const told = packed.paths.filter((path) => {
    const text = readFileSync(join(installed, path), 'utf8');
    const [, map = ''] = /sourceMappingURL=data:[^,]*base64,(\S+)/u.exec(text) ?? [];
    const all = text + Buffer.from(map, 'base64').toString();
    return machine.some((place) => all.includes(`${place}/`));
  });
  expect(told).toEqual([]);
});

test('has what its pages link to', () => {
  const pages = packed.paths.filter((path) => path.endsWith('.md') && !path.startsWith('examples/template/'));
  const dead = pages.flatMap((page) => {
    const text = readFileSync(join(installed, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/gu)].map(([, link = '']) => link);
    return links.filter((link) => !existsSync(join(installed, dirname(page), link)));
  });
  expect(dead).toEqual([]);
});

describe('what not every project needs', () => {
  test.each(['pyodide', '@modelcontextprotocol/client', 'zod-to-json-schema', 'mathjs', 'typescript'])(
    'npm does not install along: %s',
    (name) => expect(existsSync(join(project, 'node_modules', name))).toBe(false),
  );

  test.each([
    ['python()', 'python() needs the package pyodide, which is not installed: npm install pyodide@'],
    ["mcp({ command: 'x' })", 'mcp() needs the package @modelcontextprotocol/client, which is not installed'],
    [
      "fromLangChain({ name: 't', description: 'd', invoke() {}, schema: { _def: { typeName: 'ZodObject' } } })",
      'Tool "t": its schema is zod 3\'s, and needs the package zod-to-json-schema, which is not installed',
    ],
  ])('is asked for where a tool is defined: %s', async (call, message) => {
    expect(await printedBy(`await reloop.${call}`)).toContain(message);
  });

  test('the calculator computes without mathjs', async () => {
    expect(await printedBy("await reloop.calculator().run('21 * 9 / 5 + 32', { attempt: 1 })")).toBe(
      'Answer: 69.8',
    );
  });
});

/** The value of an expression in the project, or the message of what it threw. */
async function printedBy(expression: string): Promise<string> {
  const program = `import * as reloop from 'reloop';
    try { console.log(${expression}); } catch (error) { console.log(error.message); }`;
  const args = ['--input-type=module', '-e', program];
  return (await run(process.execPath, args, { cwd: join(project, 'module') })).stdout.trim();
}

describe.each(NODES)('under Node %s', (node) => {
  const program = join(nodes, 'node_modules', `node-${node}`, 'bin/node');
  const cwd = join(project, `on-node-${node}`);
  beforeAll(() => {
    cpSync(new URL('../fixtures/node-versions', import.meta.url), cwd, { recursive: true });
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  });

  /** A program of the project on this Node. */
  const printed = async (...args: string[]) =>
    (await run(program, args, { cwd, env: cleanEnv() })).stdout.trim();

  test('every entry is imported, and an agent runs on the embedded server', async () => {
    expect(await printed('program.mjs')).toMatch(
      new RegExp(`^v${node.replaceAll('.', '\\.')}\\b.* The double is 42\\.$`, 'u'),
    );
  });

  test('the command says its version, and loads a config in TypeScript', async () => {
    const main = join(installed, 'dist/cli/main.js');
    expect(await printed(main, '--version')).toBe(version);
    expect(await printed(main, 'agents')).toMatch(/^doubler\b/mu);
  });
});

test('the project gets one native bridge, one zod and one of each package of Temporal', () => {
  const files = readdirSync(join(project, 'node_modules'), { recursive: true, encoding: 'utf8' });
  const found = files.filter((file) =>
    /(?:^|node_modules\/)(?:zod|@temporalio\/[^/]+)\/package\.json$/u.test(file),
  );
  expect(found.filter((file) => file.includes('node_modules/'))).toEqual([]);
  expect(found).toEqual(expect.arrayContaining(['zod/package.json', '@temporalio/core-bridge/package.json']));
});

test.each(names)('plain Node imports %s from an ES module', async (name) => {
  const args = ['--input-type=module', '-e', `console.log(Object.keys(await import('${name}')).length)`];
  const { stdout } = await run(process.execPath, args, { cwd: join(project, 'module') });
  expect(Number(stdout)).toBeGreaterThan(0);
});

test.each(names)('plain Node requires %s from CommonJS', async (name) => {
  const args = ['--input-type=commonjs', '-e', `console.log(Object.keys(require('${name}')).length)`];
  const { stdout } = await run(process.execPath, args, { cwd: join(project, 'commonjs') });
  expect(Number(stdout)).toBeGreaterThan(0);
});

describe.each(TYPES)('TypeScript finds nothing wrong in a project of "type": "%s"', (type) => {
  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('under --module %s --moduleResolution %s', async (module, moduleResolution) => {
    const lines = await complaints(module, moduleResolution);
    const elsewhere = TYPES.filter((other) => other !== type);
    // The SDK's declarations import `ms`, which has no types for them.
    const ours = lines.filter(
      (line) =>
        !/@temporalio\/common/u.test(line) && !elsewhere.some((other) => line.startsWith(`${other}/`)),
    );
    expect(ours).toEqual([]);
  });
});

const compiled = new Map<string, Promise<string[]>>();

/** Errors in the programs of both projects, and in what they import: TypeScript reads the declarations once for both. */
function complaints(module: string, moduleResolution: string): Promise<string[]> {
  const known = compiled.get(module) ?? compile(module, moduleResolution);
  compiled.set(module, known);
  return known;
}

async function compile(module: string, moduleResolution: string): Promise<string[]> {
  const options = { module, moduleResolution, target: 'es2022', types: 'node' };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const strict = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', 'false'];
  const files = TYPES.flatMap((type) => [`${type}/user.ts`, `${type}/documented.ts`]);
  const { stdout } = await run(process.execPath, [compiler, ...strict, ...flags, ...files], {
    cwd: project,
  }).catch((error: { stdout: string }) => error);
  return stdout.split('\n').filter((line) => /error TS/u.test(line));
}
