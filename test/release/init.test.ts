import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { cleanEnv, root } from '../support/cli.ts';
import { tempFolder } from '../support/temp-folder.ts';

/**
 * A stranger's first minutes: the packed package begins a project in a home that has nothing, and npm installs it. One
 * installation serves both projects.
 */
const folder = tempFolder();

/** Each is quick where a machine has nothing else to do. */
const MANY_PROCESSES = 300_000;

const execute = promisify(execFile);
let env: NodeJS.ProcessEnv;
let tarball: string;

beforeAll(async () => {
  const home = join(folder, 'home');
  mkdirSync(home);
  const { path } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
  // As the stranger's shell is: without the `reloop` that tests have.
  const PATH = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((place) => !existsSync(join(place, 'reloop')));
  env = cleanEnv({
    HOME: home,
    PATH: PATH.join(delimiter),
    TEMPORAL_CLI_PATH: path,
    // The cache has what the checkout was installed from.
    npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
    npm_config_prefer_offline: 'true',
    npm_config_ignore_scripts: 'true',
  });
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: root,
    env,
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  tarball = join(folder, filename);
  await execute('tar', ['-xzf', tarball, '-C', folder]);
  // As npx has unpacked it, but with the packages of the checkout: they are installed once only.
  symlinkSync(join(root, 'node_modules'), join(folder, 'package/node_modules'));
});

/** The project's own command. */
async function reloopIn(project: string, ...args: string[]): Promise<string> {
  const command = join(project, 'node_modules/.bin/reloop');
  return (await execute(process.execPath, [command, ...args], { cwd: project, env })).stdout;
}

/** The `reloop init` that is in the package. */
async function init(...args: string[]): Promise<string> {
  const main = join(folder, 'package/dist/cli/main.js');
  const { stdout } = await execute(process.execPath, [main, 'init', ...args, '--package', tarball], {
    cwd: folder,
    env,
  });
  return stdout;
}

describe('a project of `reloop init`', () => {
  const project = join(folder, 'my-agent');
  const npm = async (...args: string[]) => (await execute('npm', args, { cwd: project, env })).stdout;

  test(
    'is installed, and its agent answers without a key',
    async () => {
      await init('my-agent');
      expect(await npm('start')).toContain('3 lamps cost 135 euros.\n');
    },
    MANY_PROCESSES,
  );

  test(
    'waits where its tool fails, and goes on with the tool mended',
    async () => {
      const question = ['run', 'assistant', 'What do 2 sofas cost?', '--id', 'sofas', '--no-wait'];
      await expect(reloopIn(project, ...question)).rejects.toMatchObject({
        code: 4,
        stderr: expect.stringContaining('npx reloop retry sofas'),
      });
      const price = readFileSync(join(project, 'price.ts'), 'utf8');
      writeFileSync(join(project, 'price.ts'), price.replace("['lamp', 45]", "['lamp', 45], ['sofa', 900]"));
      expect(await reloopIn(project, 'retry', 'sofas')).toBe('2 sofas cost 1800 euros.\n');
    },
    MANY_PROCESSES,
  );

  test(
    'passes its own test and its own check of types',
    async () => {
      expect(await npm('test')).toContain('2 passed');
      await expect(npm('run', 'typecheck')).resolves.toContain('tsc');
    },
    MANY_PROCESSES,
  );

  test('has its keys from .env, and a real environment counts more', async () => {
    // Without an address the agent would ask its script, which has no name.
    writeFileSync(join(project, '.env'), 'OPENAI_BASE_URL=http://127.0.0.1:1/v1\nOPENAI_MODEL=from-file\n');
    const command = [join(project, 'node_modules/.bin/reloop'), 'agents', '--json'];
    const here = { cwd: project, env: { ...env, OPENAI_MODEL: 'from-here' } };
    expect((await execute(process.execPath, command, here)).stdout).toContain('"from-here"');
  });
});

describe('a CommonJS project that was there before', () => {
  const project = join(folder, 'old');

  test(
    'gets an agent that answers, is tested and checked, and stays CommonJS',
    async () => {
      mkdirSync(project);
      const own = { name: 'old', version: '1.0.0', type: 'commonjs', scripts: { start: 'node old.js' } };
      writeFileSync(join(project, 'package.json'), JSON.stringify(own));
      writeFileSync(join(project, 'README.md'), 'mine');
      const report = JSON.parse(await init('old', '--no-install', '--json')) as { left: string[] };
      expect(report.left).toEqual(['README.md']);
      expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))).toMatchObject({
        ...own,
        dependencies: { reloop: `file:../${basename(tarball)}` },
      });
      symlinkSync(join(folder, 'my-agent/node_modules'), join(project, 'node_modules'));

      expect(await reloopIn(project, 'run', 'assistant', 'What do 3 lamps cost?')).toBe(
        '3 lamps cost 135 euros.\n',
      );
      const tested = await execute('npm', ['test'], { cwd: project, env });
      expect(tested.stdout).toContain('2 passed');
      const checked = await execute('npm', ['run', 'typecheck'], { cwd: project, env });
      expect(checked.stdout).not.toContain('error');
    },
    MANY_PROCESSES,
  );
});
