import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/cli.ts';

/** The package as npm gives it to a project that has nothing else, once as ES modules and once as CommonJS. */
const project = mkdtempSync(join(tmpdir(), 'reloop-package-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));

const run = promisify(execFile);
/** The examples of docs/tools.md, from the first tool to its test. */
const documented = [...readFileSync(join(root, 'docs/tools.md'), 'utf8').matchAll(/^```ts\n([^]*?)^```$/gmu)]
  .slice(0, 2)
  .map(([, code]) => code)
  .join('\n');
const program = readFileSync(new URL('../fixtures/package-user.ts', import.meta.url), 'utf8');
const { exports: entries } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: { [entry: string]: unknown };
};
const names = Object.keys(entries).map((entry) => entry.replace('.', 'reloop'));

beforeAll(async () => {
  const packed = ['pack', '--ignore-scripts', '--json', '--pack-destination', project];
  const { stdout } = await run('npm', packed, { cwd: root });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true }));
  // The cache has what the checkout was installed from.
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...quietly, `./${filename}`], { cwd: project });
  // A project that is checked by TypeScript has Node's types; these are ours.
  mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
  const types = join(project, 'node_modules/@types/node');
  rmSync(types, { recursive: true, force: true });
  symlinkSync(join(root, 'node_modules/@types/node'), types);
  for (const type of ['module', 'commonjs']) {
    mkdirSync(join(project, type));
    writeFileSync(join(project, type, 'package.json'), JSON.stringify({ private: true, type }));
    writeFileSync(join(project, type, 'user.ts'), program);
    writeFileSync(join(project, type, 'documented.ts'), documented);
  }
}, 300_000);

test('the project gets one native bridge, one zod and one of each package of Temporal', () => {
  const files = readdirSync(join(project, 'node_modules'), { recursive: true, encoding: 'utf8' });
  const installed = files.filter((file) =>
    /(?:^|node_modules\/)(?:zod|@temporalio\/[^/]+)\/package\.json$/u.test(file),
  );
  expect(installed.filter((file) => file.includes('node_modules/'))).toEqual([]);
  expect(installed).toEqual(
    expect.arrayContaining(['zod/package.json', '@temporalio/core-bridge/package.json']),
  );
});

test.each(names)('plain Node imports %s from an ES module', async (name) => {
  const args = ['--input-type=module', '-e', `console.log(Object.keys(await import('${name}')).length)`];
  const { stdout } = await run(process.execPath, args, { cwd: join(project, 'module') });
  expect(Number(stdout)).toBeGreaterThan(0);
});

test.each(names)('plain Node imports %s from CommonJS', async (name) => {
  const args = [
    '--input-type=commonjs',
    '-e',
    `import('${name}').then((all) => console.log(Object.keys(all).length))`,
  ];
  const { stdout } = await run(process.execPath, args, { cwd: join(project, 'commonjs') });
  expect(Number(stdout)).toBeGreaterThan(0);
});

describe.each(['module', 'commonjs'])(
  'TypeScript finds nothing wrong in a project of "type": "%s"',
  (type) => {
    test.each([
      ['nodenext', 'nodenext'],
      ['esnext', 'bundler'],
    ])('under --module %s --moduleResolution %s', async (module, moduleResolution) => {
      const options = { module, moduleResolution, target: 'es2022', types: 'node' };
      const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      const strict = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', 'false'];
      const cwd = join(project, type);
      const { stdout } = await run(
        process.execPath,
        [compiler, ...strict, ...flags, 'user.ts', 'documented.ts'],
        {
          cwd,
        },
      ).catch((error: { stdout: string }) => error);
      // The SDK's declarations import `ms`, which has no types for them.
      const ours = stdout
        .split('\n')
        .filter((line) => /error TS/u.test(line) && !/@temporalio\/common/u.test(line));
      expect(ours).toEqual([]);
    });
  },
);
