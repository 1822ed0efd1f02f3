/**
 * What do many runs cost at once? One worker on the server of `reloop dev`: the first answer from nothing, a turn of 100 calls, a batch, and
 * runs that wait for a person.
 *
 *     node --import tsx bench/scale.ts [--waiting 10000] [--batch 1000] [--rounds 3]      after `npm run build`
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AgentClient } from 'reloop/client';
import { anyPorts } from '../local/server/ports.ts';
import { acquireServer } from '../local/server/server.ts';
import { aFewAtATime } from '../agent/values/concurrent.ts';
import { type Command, reloop } from '../test/support/cli.ts';
import { median } from './results.ts';
import { progress } from './rig.ts';
import { WIDTH } from './scale-task.ts';

const CONFIG = ['--config', 'bench/scale.config.ts'];
/** Runs that are started or read at a time. */
const AT_A_TIME = 50;
/** Runs that a person answers while all others wait. */
const ANSWERED = 20;

const { values } = parseArgs({
  options: {
    waiting: { type: 'string', default: '10000' },
    batch: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '3' },
  },
});
const [waiting, batch, rounds] = [Number(values.waiting), Number(values.batch), Number(values.rounds)];
const stateDir = await mkdtemp(join(tmpdir(), 'reloop-scale-'));

try {
  await measureColdStart();
  const server = await acquireServer({
    stateDir,
    ports: anyPorts,
    onProgress: progress,
    onNote: () => undefined,
  });
  const worker = reloop(['worker', ...CONFIG], { RELOOP_STATE_DIR: stateDir });
  const client = await AgentClient.connect({ address: server.address });
  try {
    await worker.prints('Worker ready');
    await client.run('short', 'Warm up.');
    await measureWideTurn(client);
    await measureBatch(client);
    await measureWaiting(client, worker, server.pid);
  } finally {
    await client.close();
    await worker.killGroup();
    await server.release();
  }
} finally {
  await rm(stateDir, { recursive: true, force: true });
}

/** Of `reloop run`, which starts the Temporal server, a worker and the run. */
async function measureColdStart(): Promise<void> {
  const cold: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const own = await mkdtemp(join(tmpdir(), 'reloop-cold-'));
    const began = performance.now();
    const command = reloop(['run', 'short', 'Go.', ...CONFIG], { RELOOP_STATE_DIR: own });
    const code = await command.exit;
    if (code !== 0) throw new Error(command.stderr());
    cold.push(performance.now() - began);
    await rm(own, { recursive: true, force: true });
  }
  print('from `reloop run` to its end, without a server', seconds(median(cold)));
}

async function measureWideTurn(client: AgentClient): Promise<void> {
  const [one, many]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    one.push(await timed(() => client.run('short', 'Go.')));
    many.push(await timed(() => client.run('wide', 'Go.')));
  }
  print('run with 1 call of 0.1 s', seconds(median(one)));
  print(`run with ${WIDTH} calls of 0.1 s in one turn`, seconds(median(many)));
}

async function measureBatch(client: AgentClient): Promise<void> {
  const questions = Array.from({ length: batch }, (_, index) => `Question ${index}.`);
  const before = rssOf(process.pid);
  let failed = 0;
  const ms = await timed(async () => {
    const results = await client.batch('short', questions, { concurrency: AT_A_TIME });
    failed = results.filter(({ status }) => status === 'rejected').length;
  });
  print(
    `batch of ${batch} runs, ${AT_A_TIME} at a time`,
    `${seconds(ms)}, ${(batch / (ms / 1000)).toFixed(1)} runs/s, ${failed} failed, ${rssOf(process.pid) - before} MB more in the client`,
  );
}

async function measureWaiting(client: AgentClient, worker: Command, serverPid: number): Promise<void> {
  const workerPid = Number(worker.child.pid);
  const before = [workerPid, serverPid].map(rssOf);
  const ids = Array.from({ length: waiting }, (_, index) => `asks-${index}`);
  const startMs = await timed(async () => {
    await aFewAtATime(ids, AT_A_TIME, async (id) => {
      const run = await client.start('asks', 'Pay.', { id });
      while ((await run.describe()).waiting.length === 0);
    });
  });
  const [workerMb = 0, serverMb = 0] = [workerPid, serverPid].map(
    (pid, at) => rssOf(pid) - Number(before[at]),
  );
  print(
    `${waiting} runs until each waits for a person, ${AT_A_TIME} at a time`,
    `${seconds(startMs)}, ${(waiting / (startMs / 1000)).toFixed(1)} runs/s`,
  );
  print('memory since then', `worker ${workerMb} MB, server ${serverMb} MB`);
  const pages: number[] = [];
  for (let round = 0; round < rounds; round++)
    pages.push(await timed(() => client.listPage({ status: 'waiting', limit: 100 })));
  print('list of 100 of them', `${median(pages).toFixed(0)} ms`);
  const answers: number[] = [];
  for (const id of ids.slice(0, ANSWERED)) {
    const run = client.get(id);
    const [wait] = (await run.describe()).waiting;
    if (wait === undefined) throw new Error(`${id} does not wait.`);
    answers.push(
      await timed(async () => {
        await run.decide(wait.call, { type: 'approve' }, wait.n);
        await run.result();
      }),
    );
  }
  print('from an approval to the answer, while the others wait', seconds(median(answers)));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function print(what: string, value: string): void {
  console.log(`${what.padEnd(66)} ${value}`);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}

/** Megabytes; NaN where there is no /proc. */
function rssOf(pid: number): number {
  try {
    const [, kb] = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Math.round(Number(kb) / 1024);
  } catch {
    return Number.NaN;
  }
}
