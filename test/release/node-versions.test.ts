import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { cleanEnv, root } from '../support/cli.ts';
import { packInto } from '../support/packed.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Tests of the parts that depend on Node itself, on the newest Node. By hand: `NODE_VERSIONS=22,24,26 npx vitest run --project release test/release/node-versions.test.ts`. */
const versions = (process.env['NODE_VERSIONS'] ?? '26').split(',');
const nodes = tempFolder();
const project = tempFolder();
const run = promisify(execFile);

/** An agent with the Python tool, on the embedded server. */
const program = `
import { defineAgent, defineConfig, python, runAgentHere } from 'reloop';
import { scripted } from 'reloop/testing';

const model = scripted([{ toolCalls: [{ name: 'python', arguments: { input: 'print(6 * 7)' } }] }, { text: 'The end.' }]);
const config = defineConfig({ agents: [defineAgent({ name: 'adder', model, tools: [python()] })] });
const { output, intermediateSteps } = await runAgentHere(config, 'adder', 'What is 6 times 7?');
console.log(process.version, output, intermediateSteps.map(({ observation, attempts }) => [observation, attempts]));
`;

/** The tests of what is made of Node's own parts: processes and their permissions, fetch. */
const FILES = ['python', 'light-fetch', 'retry-after'].map((name) => `test/unit/${name}.test.ts`);

beforeAll(async () => {
  // The packed package, beside what the checkout has installed.
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, 'reloop'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  const { file } = packInto(project);
  execFileSync('tar', ['-xzf', file, '--strip-components=1', '-C', join(modules, 'reloop')]);
  writeFileSync(join(project, 'program.mjs'), program);
  const binaries = versions.map(
    (node) => `node-${node}@npm:node-${process.platform}-${process.arch}@${node}`,
  );
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...quietly, '--prefix', nodes, ...binaries]);
}, 300_000);

describe.each(versions)('under Node %s', (version) => {
  const node = join(nodes, 'node_modules', `node-${version}`, 'bin/node');

  test('an agent of the package runs Python', async () => {
    const env = cleanEnv({ RELOOP_STATE_DIR: join(project, `state-${version}`) });
    const { stdout } = await run(node, ['program.mjs'], { cwd: project, env });
    expect(stdout).toMatch(new RegExp(`^v${version.replaceAll('.', '\\.')}\\b.* The end\\. `, 'u'));
    expect(stdout).toContain(String.raw`[ [ '42\n', 1 ] ]`);
  });

  test('the unit tests of what depends on Node pass, and end', async () => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { stdout } = await run(node, [vitest, 'run', '--project', 'unit', ...FILES], {
      cwd: root,
      env: cleanEnv(),
    });
    expect(stdout).toMatch(/\d+ passed, 0 failed/u);
  });
});
