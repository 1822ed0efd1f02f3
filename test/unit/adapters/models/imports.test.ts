import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { adapterFor, adapters } from '../../../../adapters/models/adapters.ts';
import { requirePackage, requirePackages } from '../../../../adapters/tools/optional-package.ts';
import { cleanEnv, root } from '../../../support/cli.ts';
import { importedPackages, notFound } from '../../../support/declared-imports.ts';

/** Packages of Temporal's that a module has loaded, by the cache of CommonJS, which they are. */
const script = (module: string) => `
  await import(${JSON.stringify(module)});
  const { _cache } = (await import('node:module')).default;
  const packages = Object.keys(_cache).flatMap((file) => /@temporalio[/\\\\]([\\w-]+)/.exec(file)?.[1] ?? []);
  console.log(JSON.stringify([...new Set(packages)]));`;

test.each(['reloop', 'reloop/testing'])(
  'import of %s loads no worker, no server and no client',
  async (module) => {
    const args = ['--input-type=module', '-e', script(module)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env: cleanEnv() });
    const heavy = ['client', 'core-bridge', 'testing', 'worker'];
    expect((JSON.parse(stdout) as string[]).filter((name) => heavy.includes(name))).toEqual([]);
  },
);

describe('a package that not every project has', () => {
  test('is asked for by the words of the tool that needs it, with the command that installs it', () => {
    const needs =
      /^python\(\) needs the package pyodide, which is not installed: npm install pyodide@\^\d+\.\d+\.\d+$/u;
    expect(() => requirePackage('pyodide', 'python()', () => undefined)).toThrow(needs);
  });

  test('is named beside all others that a command lacks, with one line that installs them', () => {
    const find = (name: string) =>
      name === 'hono' ? undefined : name === '@hono/zod-openapi' ? '0.1.0' : '1.0.0';
    const needs =
      /^serve needs the packages hono, @hono\/zod-openapi, .* not installed: npm install hono@\S+ @hono\/zod-openapi@\S+/u;
    expect(() => requirePackages(['hono', '@hono/zod-openapi'], 'serve', find)).toThrow(needs);
  });

  test.each(['1.32.2', '2.0.0', '2.3.9', '3.0.0'])('is refused in version %s', (version) => {
    const install = 'npm install @modelcontextprotocol/client@^2.4.0';
    expect(() => requirePackage('@modelcontextprotocol/client', 'mcp()', () => version)).toThrow(
      `mcp() needs @modelcontextprotocol/client ^2.4.0, but ${version} is installed: ${install}`,
    );
  });

  test.each(['2.4.0', '2.4.10', '2.40.0', '2.5.0-beta.1'])('is taken in version %s', (version) => {
    expect(() => requirePackage('@modelcontextprotocol/client', 'mcp()', () => version)).not.toThrow();
  });

  const optional = ['@modelcontextprotocol/client', 'pyodide', 'zod-to-json-schema'] as const;
  test.each(optional)('is found where npm has put it: %s', (name) => {
    expect(() => requirePackage(name, 'the checkout')).not.toThrow();
  });
});

test('the packages that declarations import are found, in types too', () => {
  const text = `import { a } from "a";\nimport './b.ts';\nimport 'c';\nexport declare const d: import("@e/f/lib/g").H;`;
  expect(importedPackages(text)).toEqual(['a', 'c', '@e/f/lib/g']);
});

test('a path into a package that Node does not find is told from one that it does', () => {
  const there = ['@temporalio/common', '@temporalio/common/lib/time.js', 'zod/v4', 'node:fs'];
  const missing = ['@temporalio/common/lib/time', 'no-such-package'];
  expect(notFound([...there, ...missing])).toEqual(missing);
});

test('the first adapter whose prefix fits is asked for a model', () => {
  const list = [
    { name: 'one', prefix: 'one-' },
    { name: 'all', prefix: '' },
  ];
  const named = ['one-mini', 'two-mini', 'one'].map((model) => adapterFor(model, list));
  expect(named).toEqual(['one', 'all', 'all']);
});

test('a model of any name has an adapter, and a model that no prefix fits is refused', () => {
  expect(adapters.at(-1)?.prefix).toBe('');
  expect(() => adapterFor('mini', [])).toThrow('No adapter takes the model "mini".');
});
