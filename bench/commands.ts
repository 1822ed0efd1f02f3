/**
 * Measures how long a person waits for a command. Commands of this build and of another one take turns on one server, beside Temporal's own CLI. Linux with bash.
 *
 *     node --import tsx bench/commands.ts --against ../old [--rounds 7] [--all 10000]      after `npm run build` here and there
 *
 * `--all`: also lists so many runs, half of them open, with `reloop list --all` and `temporal workflow list`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { AgentClient } from 'reloop/client';
import { searchAttribute } from '../agent/values/names.ts';
import { aFewAtATime } from '../agent/values/concurrent.ts';
import { AGENT_RUN } from '../workflows/messages.ts';
import { anyPorts } from '../local/server/ports.ts';
import { acquireServer } from '../local/server/server.ts';
import { readRecord } from '../local/server/state-folder.ts';
import { reloop, root } from '../test/support/cli.ts';
import { median } from './results.ts';
import { progress } from './rig.ts';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    all: { type: 'string', default: '0' },
  },
});
const { against } = values;
if (against === undefined) throw new Error('Name the folder of the other build: --against FOLDER.');
const [rounds, all] = [Number(values.rounds), Number(values.all)];

const CONFIG = `import { defineAgent, defineConfig, defineTool, z } from 'reloop';
import { scripted } from 'reloop/testing';
const call = (name) => ({ toolCalls: [{ name, arguments: {}, id: 'call_0' }] });
const tool = (name, more) => defineTool({ name, description: name, input: z.object({}), run: () => name, ...more });
const agent = (name, one) => defineAgent({ name, model: scripted([call(one.name), 'done']), tools: [one] });
export default defineConfig({ agents: [agent('asks', tool('pay', { approval: 'always' })), agent('short', tool('look', {}))] });
`;

interface Cost {
  wall: number[];
  processor: number[];
}

const folder = mkdtempSync(join(tmpdir(), 'reloop-commands-'));
const builds = { new: projectOf('new', root), old: projectOf('old', resolve(against)) };
const server = await acquireServer({
  stateDir: folder,
  ports: anyPorts,
  onProgress: progress,
  onNote: progress,
});
const temporal = readRecord(folder)?.binary.path ?? 'temporal';
const env = { TEMPORAL_ADDRESS: server.address, RELOOP_STATE_DIR: folder };
const worker = reloop(['worker'], env, builds.new);
const client = await AgentClient.connect({ address: server.address });
try {
  await worker.prints('Worker ready');
  for (let n = 0; n < 20; n++) await client.run('short', 'Look.');
  const shown = await client.start('short', 'Look.', { id: 'shown' });
  await shown.result();
  const waiting = await waitingRuns(2 * rounds);
  const commands: { [name: string]: () => string[] } = {
    '--help': () => ['--help'],
    'completion bash': () => ['completion', 'bash'],
    list: () => ['list'],
    show: () => ['show', 'shown'],
    approve: () => ['approve', waiting.pop() ?? ''],
    agents: () => ['agents'],
    tools: () => ['tools'],
    run: () => ['run', 'short', 'Look.'],
  };
  console.log(
    '| command | seconds | before | ratio | processor | before | ratio |\n| --- | --- | --- | --- | --- | --- | --- |',
  );
  for (const [name, words] of Object.entries(commands)) compare(`reloop ${name}`, words);
  const own = costOf(() => [temporal, 'workflow', 'list', '--address', server.address], folder);
  console.log(`| temporal workflow list | ${seconds(own.wall)} | | | ${seconds(own.processor)} | | |`);
  if (all > 0) await listAll();
} finally {
  await client.close();
  await worker.killGroup();
  await server.release();
  rmSync(folder, { recursive: true, force: true });
}

/** A project with a config, whose \`reloop\` is that build. */
function projectOf(name: string, build: string): string {
  const project = join(folder, name);
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  symlinkSync(build, join(project, 'node_modules/reloop'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, type: 'module' }));
  writeFileSync(join(project, 'reloop.config.ts'), CONFIG);
  return project;
}

async function waitingRuns(count: number): Promise<string[]> {
  const runs = await Promise.all(Array.from({ length: count }, () => client.start('asks', 'Pay.')));
  for (const run of runs)
    while ((await run.describe()).status !== 'waiting') await new Promise((go) => setTimeout(go, 50));
  return runs.map(({ id }) => id);
}

/** Prints a row. The builds take turns, and a ratio is that of the medians. */
function compare(name: string, words: () => string[]): void {
  const costs = { new: emptyCost(), old: emptyCost() };
  for (let round = 0; round < rounds; round++)
    for (const build of ['new', 'old'] as const) {
      const main = join(builds[build], 'node_modules/reloop/dist/cli/main.js');
      spend([process.execPath, main, ...words()], builds[build], costs[build]);
    }
  const [now, before] = [costs.new, costs.old];
  const ratio = (key: keyof Cost) => (median(now[key]) / median(before[key])).toFixed(2);
  console.log(
    `| ${name} | ${seconds(now.wall)} | ${seconds(before.wall)} | ${ratio('wall')} | ${seconds(now.processor)} | ${seconds(before.processor)} | ${ratio('processor')} |`,
  );
}

function costOf(command: () => string[], cwd: string): Cost {
  const cost = emptyCost();
  for (let round = 0; round < rounds; round++) spend(command(), cwd, cost);
  return cost;
}

/** Runs a command; it has to succeed. */
function spend(command: string[], cwd: string, cost: Cost): void {
  const timed = 'TIMEFORMAT="%R %U %S"; { time "$@" >/dev/null 2>"$ERRORS"; } 2>&1';
  const script = `${timed} || { cat "$ERRORS" >&2; exit 1; }`;
  const environment = { ...process.env, ...env, NO_COLOR: '1', ERRORS: join(folder, 'errors') };
  const printed = execFileSync('bash', ['-c', script, 'bash', ...command], {
    cwd,
    env: environment,
    encoding: 'utf8',
  });
  const [wall = NaN, user = NaN, system = NaN] = printed.trim().split(' ').map(Number);
  cost.wall.push(wall);
  cost.processor.push(user + system);
}

function emptyCost(): Cost {
  return { wall: [], processor: [] };
}

function seconds(times: number[]): string {
  return median(times).toFixed(2);
}

/** Half of the runs are open, the others have timed out. No worker serves them. */
async function listAll(): Promise<void> {
  progress(`Starting ${all} runs.`);
  await aFewAtATime(
    Array.from({ length: all }, (_, index) => index),
    50,
    (index) =>
      client.temporal.workflow.start(AGENT_RUN, {
        workflowId: `many-${index}`,
        taskQueue: 'nobody',
        ...(index % 2 === 0 && { workflowExecutionTimeout: '1s' }),
        memo: { agent: 'short', input: `Question ${index}` },
        searchAttributes: { [searchAttribute.agent]: ['short'] },
      }),
  );
  const main = join(builds.new, 'node_modules/reloop/dist/cli/main.js');
  const ours = costOf(() => [process.execPath, main, 'list', '--all'], builds.new);
  const theirs = costOf(
    () => [temporal, 'workflow', 'list', '--limit', String(all), '--address', server.address],
    folder,
  );
  const ratio = (median(ours.wall) / median(theirs.wall)).toFixed(2);
  console.log(
    `\nreloop list --all of ${all} runs: ${seconds(ours.wall)} s, temporal workflow list: ${seconds(theirs.wall)} s, ratio ${ratio}`,
  );
}
