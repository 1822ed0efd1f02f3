/**
 * The cost of runs that wait for a person, for a worker of this build and one of another. Both have the same runs, each on a server of its own. It
 * measures memory, the time from an approval to the answer, and how soon a worker that starts beside the runs makes a step. Linux.
 *
 *     node --import tsx bench/waiting.ts --against ../old [--waiting 10000] [--rounds 20]      after `npm run build` here and there
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { AgentClient } from 'reloop/client';
import { aFewAtATime } from '../agent/values/concurrent.ts';
import { WAITING_RUNS } from '../agent/values/names.ts';
import { anyPorts } from '../local/server/ports.ts';
import { acquireServer } from '../local/server/server.ts';
import { type Command, root, spawnCommand } from '../test/support/cli.ts';
import { median } from './results.ts';
import { progress } from './rig.ts';

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    waiting: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '20' },
  },
});
if (values.against === undefined) throw new Error('Name the folder of the other build: --against FOLDER.');
const [waiting, rounds] = [Number(values.waiting), Number(values.rounds)];
/** Runs that are started at a time. */
const AT_A_TIME = 25;

const CONFIG = `import { defineAgent, defineConfig, defineTool, z } from 'reloop';
import { scripted } from 'reloop/testing';
const pay = defineTool({ name: 'pay', description: 'Pays.', input: z.object({}), run: () => 'paid', approval: 'always' });
const call = { toolCalls: [{ name: 'pay', arguments: {}, id: 'call_0' }] };
export default defineConfig({ agents: [
  defineAgent({ name: 'asks', model: scripted([call, 'done']), tools: [pay] }),
  defineAgent({ name: 'short', model: scripted(['done']), tools: [] }),
] });
`;

/** A build with its server and its worker. */
interface Side {
  client: AgentClient;
  /** Starts its worker; resolves with the milliseconds until a run has ended. */
  startWorker(): Promise<number>;
  workerMb(): number;
  stop(): Promise<void>;
}

const folder = mkdtempSync(join(tmpdir(), 'reloop-waiting-'));
const [ours, theirs] = [await side('new', root), await side('old', resolve(values.against))];
try {
  await Promise.all([ours.startWorker(), theirs.startWorker()]);
  const alone = [await ours.startWorker(), await theirs.startWorker()] as const;
  await Promise.all([warmUp(ours), warmUp(theirs)]);
  const before = [ours.workerMb(), theirs.workerMb()] as const;
  for (const part of [0.2, 0.4, 0.6, 0.8, 1]) {
    await Promise.all([ours, theirs].map((one) => untilWaiting(one, Math.round(waiting * part))));
    const [now, old] = [ours.workerMb() - before[0], theirs.workerMb() - before[1]];
    print(`MB that ${Math.round(waiting * part)} waiting runs add`, now, old);
  }
  for (const [which, first] of [
    ['oldest', 0],
    ['newest', waiting - rounds],
  ] as const) {
    const times: [number[], number[]] = [[], []];
    for (let n = first; n < first + rounds; n++) {
      times[0].push(await answer(ours, n));
      times[1].push(await answer(theirs, n));
    }
    print(`ms from an approval to the answer, of the ${which}`, median(times[0]), median(times[1]));
  }
  const beside = [await ours.startWorker(), await theirs.startWorker()] as const;
  print('ms from the start of a worker to its first answer, beside them', ...beside);
  print('the same, beside none', ...alone);
} finally {
  await ours.stop();
  await theirs.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function side(name: string, build: string): Promise<Side> {
  const project = join(folder, name);
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  symlinkSync(build, join(project, 'node_modules/reloop'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name, type: 'module' }));
  writeFileSync(join(project, 'reloop.config.ts'), CONFIG);
  const stateDir = join(project, '.reloop');
  const server = await acquireServer({ stateDir, ports: anyPorts, onProgress: progress, onNote: progress });
  const client = await AgentClient.connect({ address: server.address });
  const env = { TEMPORAL_ADDRESS: server.address };
  let worker: Command | undefined;
  return {
    client,
    async startWorker() {
      await worker?.killGroup();
      const began = performance.now();
      worker = spawnCommand([join(build, 'dist/cli/main.js'), 'worker'], env, project);
      await worker.prints('Worker ready');
      await client.run('short', 'Go.');
      return performance.now() - began;
    },
    workerMb: () => rssOf(Number(worker?.child.pid)),
    async stop() {
      await client.close();
      await worker?.killGroup();
      await server.release();
    },
  };
}

async function warmUp({ client }: Side): Promise<void> {
  await client.batch(
    'short',
    Array.from({ length: 300 }, () => 'Go.'),
    { concurrency: AT_A_TIME },
  );
}

/** Starts runs until so many wait. */
async function untilWaiting({ client }: Side, count: number): Promise<void> {
  const there = async () => (await client.temporal.workflow.count(WAITING_RUNS)).count;
  const first = await there();
  const numbers = Array.from({ length: count - first }, (_, index) => first + index);
  await aFewAtATime(numbers, AT_A_TIME, async (n) => {
    const run = await client.start('asks', 'Pay.', { id: `asks-${n}` });
    while ((await run.describe()).waiting.length === 0) await sleep(50);
  });
  while ((await there()) < count) await sleep(500);
}

async function answer({ client }: Side, n: number): Promise<number> {
  const run = client.get(`asks-${n}`);
  const [wait] = (await run.describe()).waiting;
  if (wait === undefined) throw new Error(`${run.id} does not wait.`);
  const began = performance.now();
  await run.decide(wait.call, { type: 'approve' }, wait.n);
  await run.result();
  return performance.now() - began;
}

function print(what: string, now: number, before: number): void {
  console.log(
    `${what.padEnd(66)} ${now.toFixed(0)} : ${before.toFixed(0)}, ratio ${(now / before).toFixed(2)}`,
  );
}

/** Megabytes. */
function rssOf(pid: number): number {
  const [, kb] = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kb) / 1024;
}
