import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { cleanEnv, root } from '../support/cli.ts';

/** Packages of Temporal's that a module has loaded, by the cache of CommonJS, which they are. */
const script = (module: string) => `
  await import(${JSON.stringify(module)});
  const { _cache } = (await import('node:module')).default;
  const packages = Object.keys(_cache).flatMap((file) => /@temporalio[/\\\\]([\\w-]+)/.exec(file)?.[1] ?? []);
  console.log(JSON.stringify([...new Set(packages)]));`;

test.each(['reloop', 'reloop/testing'])(
  'import of %s loads no worker, no server and no connection to one',
  async (module) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', script(module)],
      { cwd: root, env: cleanEnv() },
    );
    const heavy = ['client', 'core-bridge', 'testing', 'worker'];
    expect((JSON.parse(stdout) as string[]).filter((name) => heavy.includes(name))).toEqual([]);
  },
);
