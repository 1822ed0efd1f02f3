/**
 * How long after a killed worker is ready again does a call go on that it was killed in? The worker is the CLI's, and has
 * the same state directory as before. What it took to get ready is shown too: time-outs run meanwhile.
 *
 *     node --import tsx bench/recovery.ts [rounds, default 3]      after `npm run build`
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from 'reloop/client';
import { anyPorts } from '../local/server/ports.ts';
import { acquireServer } from '../local/server/server.ts';
import { type Command, reloop } from '../test/support/cli.ts';
import { until } from '../test/support/processes.ts';
import { median } from './results.ts';
import { progress } from './rig.ts';

/** In ms; the last two from when the worker is ready, and below 0 where a time-out was faster than its start. */
interface Recovery {
  readyMs: number;
  idempotentMs: number;
  onceMs: number;
}

const calls = ['idempotent', 'once'];
const rounds = Number(process.argv[2] ?? 3);
const stateDir = await mkdtemp(join(tmpdir(), 'reloop-recovery-'));
const server = await acquireServer({
  stateDir,
  ports: anyPorts,
  onProgress: progress,
  onNote: () => undefined,
});
const client = await AgentClient.connect({ address: server.address });
const measured: Recovery[] = [];
try {
  for (let round = 1; round <= rounds; round++) {
    const one = await killAndRestart(join(stateDir, `notes-${round}`));
    measured.push(one);
    progress(`round ${round} of ${rounds}: ${JSON.stringify(one)}`);
  }
} finally {
  await client.close();
  await server.release();
  await rm(stateDir, { recursive: true, force: true });
}
console.log('ms, the median and each');
printRow('from kill -9 to "Worker ready"', ({ readyMs }) => readyMs);
printRow('from there to the next attempt of an idempotent call', ({ idempotentMs }) => idempotentMs);
printRow('from there to the reconcile of a once call', ({ onceMs }) => onceMs);

function printRow(what: string, value: (one: Recovery) => number): void {
  const values = measured.map(value);
  console.log(`${what.padEnd(52)} ${String(median(values)).padStart(6)}   ${values.join(' ')}`);
}

/** Both calls are under way in one worker when it is killed. */
async function killAndRestart(notes: string): Promise<Recovery> {
  const former = await startWorker(notes);
  const runs = await Promise.all(calls.map((call) => client.start(call, 'Call it.')));
  await until(() => calls.every((call) => noted(notes, `${call} began`).length === 1));
  const killed = Date.now();
  await former.killGroup();
  const next = await startWorker(notes);
  const ready = Date.now();
  try {
    await Promise.all(runs.map((run) => run.result()));
  } finally {
    await next.killGroup();
  }
  const since = (what: string) => Number(noted(notes, what).at(-1)) - ready;
  return { readyMs: ready - killed, idempotentMs: since('idempotent began'), onceMs: since('once asked') };
}

async function startWorker(notes: string): Promise<Command> {
  const args = ['worker', '--config', 'bench/recovery.config.ts'];
  const worker = reloop(args, { RELOOP_STATE_DIR: stateDir, BENCH_NOTES: notes });
  await worker.prints('Worker ready');
  return worker;
}

/** When the calls noted that. */
function noted(notes: string, what: string): number[] {
  const lines = existsSync(notes) ? readFileSync(notes, 'utf8').split('\n') : [];
  return lines.filter((line) => line.startsWith(`${what} `)).map((line) => Number(line.split(' ').at(-1)));
}
