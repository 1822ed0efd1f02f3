/**
 * How long does a person's chat take while a batch keeps the worker busy? Runs of two model calls and a tool of 1 s, one after the other:
 * alone, beside a batch of the same priority, and beside a batch of the last priority. One server, and one worker with places for 10 calls.
 *
 *     node --import tsx bench/priority.ts [--batch 400] [--chats 20]      after `npm run build`
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AgentClient } from 'reloop/client';
import { aFewAtATime } from '../agent/values/concurrent.ts';
import { limits } from '../agent/values/limits.ts';
import { anyPorts } from '../local/server/ports.ts';
import { acquireServer } from '../local/server/server.ts';
import { reloop } from '../test/support/cli.ts';
import { aligned } from './print-results.ts';
import { progress } from './rig.ts';

/** Runs that are started at a time. */
const AT_A_TIME = 100;
const { values } = parseArgs({
  options: { batch: { type: 'string', default: '400' }, chats: { type: 'string', default: '20' } },
});
const [batch, chats] = [Number(values.batch), Number(values.chats)];
const stateDir = await mkdtemp(join(tmpdir(), 'reloop-priority-'));
const server = await acquireServer({ stateDir, ports: anyPorts, onProgress: progress });
const worker = reloop(['worker', '--config', 'bench/priority.config.ts'], { RELOOP_STATE_DIR: stateDir });
const client = await AgentClient.connect({ address: server.address });
try {
  await worker.prints('Worker ready');
  for (let n = 0; n < 3; n++) await client.run('looks', 'Warm up.');
  const alone = await chat();
  const rows = [
    ['alone', alone],
    ['beside a batch of the same priority', await beside(undefined)],
    [`beside a batch of priority ${limits.lastPriority}`, await beside(limits.lastPriority)],
  ] as const;
  const [, { p95: base }] = rows[0];
  console.log(
    aligned([
      [`${chats} chats`, 'p50 ms', 'p95 ms', 'p95 ratio'],
      ...rows.map(([what, { p50, p95 }]) => [what, p50.toFixed(0), p95.toFixed(0), (p95 / base).toFixed(2)]),
    ]),
  );
} finally {
  await client.close();
  await worker.killGroup();
  await server.release();
  await rm(stateDir, { recursive: true, force: true });
}

/** Starts the batch, and chats while it lasts. */
async function beside(priority: number | undefined) {
  const ids = Array.from({ length: batch }, (_, n) => `batch-${priority ?? 'usual'}-${n}`);
  await aFewAtATime(ids, AT_A_TIME, async (id) => {
    await client.start('looks', 'Go.', { id, priority });
  });
  const open = async () => {
    const query = `WorkflowType = 'agentRun' AND ExecutionStatus = 'Running'`;
    return (await client.temporal.workflow.count(query)).count;
  };
  const before = await open();
  const times = await chat();
  progress(`Runs of the batch that were open: ${before} before the chats, ${await open()} after them.`);
  for (const id of ids) await client.get(id).result();
  return times;
}

/** Milliseconds of chats in a row. */
async function chat() {
  const times: number[] = [];
  for (let n = 0; n < chats; n++) {
    const began = performance.now();
    await client.run('looks', 'Hello.');
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(share * chats) - 1] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95) };
}
