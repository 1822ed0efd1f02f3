/**
 * Measures what `reloop dev` costs a person: the time until it is ready, and the memory of its processes at rest. This build and another one take turns. Linux.
 *
 *     node --import tsx bench/dev.ts --against ../old [--rounds 5]      after `npm run build` here and there
 */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { anyPorts, freePorts } from '../local/server/ports.ts';
import { root, spawnCommand } from '../test/support/cli.ts';
import { median } from './results.ts';

const { values } = parseArgs({
  options: { against: { type: 'string' }, rounds: { type: 'string', default: '5' } },
});
if (values.against === undefined) throw new Error('Name the folder of the other build: --against FOLDER.');
/** Time for the start's garbage to be collected. */
const REST_MS = 6_000;
/** Processes of `reloop dev`, by a part of their command lines. */
const PARTS = { worker: 'worker-process', keeper: 'keeper/keeper', dev: 'main.js dev' };

const CONFIG = `import { defineAgent, defineConfig, defineTool, z } from 'reloop';
import { scripted } from 'reloop/testing';
const look = defineTool({ name: 'look', description: 'Looks.', input: z.object({}), run: () => 'seen' });
export default defineConfig({ agents: [defineAgent({ name: 'short', model: scripted(['done']), tools: [look] })] });
`;

const builds = [root, resolve(values.against)];
const measured: { [what: string]: number }[][] = [[], []];
for (let round = 0; round < Number(values.rounds); round++)
  for (const [index, build] of builds.entries()) measured[index]?.push(await measure(build));
for (const what of ['ready (ms)', 'all (MB)', ...Object.keys(PARTS).map((part) => `${part} (MB)`)]) {
  const [now = 0, before = 0] = measured.map((all) => median(all.map((one) => one[what] ?? 0)));
  console.log(
    `${what.padEnd(14)} ${now.toFixed(0)} : ${before.toFixed(0)}, ratio ${(now / before).toFixed(2)}`,
  );
}

async function measure(build: string): Promise<{ [what: string]: number }> {
  const project = mkdtempSync(join(tmpdir(), 'reloop-dev-'));
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(build, join(project, 'node_modules/reloop'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'measured', type: 'module' }));
  writeFileSync(join(project, 'reloop.config.ts'), CONFIG);
  const { grpc, ui } = await freePorts(anyPorts);
  const began = performance.now();
  const words = ['dev', '--port', String(grpc), '--ui-port', String(ui)];
  const command = spawnCommand([join(build, 'dist/cli/main.js'), ...words], {}, project);
  try {
    await command.prints('Ready.');
    const ready = performance.now() - began;
    await sleep(REST_MS);
    const parts = Object.entries(PARTS).map(
      ([part, text]) => [`${part} (MB)`, memoryOf(text, project)] as const,
    );
    return {
      'ready (ms)': ready,
      'all (MB)': parts.reduce((sum, [, mb]) => sum + mb, 0),
      ...Object.fromEntries(parts),
    };
  } finally {
    command.child.kill('SIGINT');
    await command.exit;
    rmSync(project, { recursive: true, force: true });
  }
}

/** Resident megabytes of the process that has this in its command line and works in the project or in a folder of it. */
function memoryOf(words: string, project: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/u.test(name))) {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
      if (!line.includes(words) || !readlinkSync(`/proc/${pid}/cwd`).startsWith(project)) continue;
      const [, kb] = /^Rss:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? [];
      return Number(kb) / 1024;
    } catch {
      // Another process that has ended, or another user's.
    }
  }
  throw new Error(`No process of ${project} has ${words} in its command line.`);
}
