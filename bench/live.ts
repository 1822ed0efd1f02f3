/**
 * How long after an event is recorded does a watcher have it? Several runs at once, each with its own watchers, on the
 * server that `reloop dev` starts.
 *
 *     node --import tsx bench/live.ts [watchers of each run]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { defineAgent, defineConfig, defineModel, defineTool } from '../index.ts';
import { isRecorded } from '../agent/run/events.ts';
import { AgentClient } from '../client/index.ts';
import { createLoadedConfig } from '../config/load/loaded-config.ts';
import { acquireServer } from '../server/server.ts';
import { createAgentWorker } from '../worker/create-worker.ts';

const STEPS = 10;
const TASK_QUEUE = 'bench-live';
const watchers = Number(process.argv[2] ?? 1);
Runtime.install({
  logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error },
});

const stateDir = await mkdtemp(join(tmpdir(), 'reloop-live-'));
const server = await acquireServer({ stateDir, onProgress: (line) => console.error(line) });
const { address } = server;
const native = await NativeConnection.connect({ address });
const connection = await Connection.connect({ address });
const client = new AgentClient(new Client({ connection }), address, TASK_QUEUE);
const worker = await createAgentWorker(
  createLoadedConfig(defineConfig({ agents: [paced()], taskQueue: TASK_QUEUE })),
  {
    connection: native,
  },
);
const running = worker.run();

console.log('runs  events  median     p95     max');
await watched(1); // warms up
for (const runs of [1, 4, 16]) {
  const late = (await watched(runs)).toSorted((a, b) => a - b);
  const at = (part: number) =>
    `${late[Math.min(late.length - 1, Math.floor(late.length * part))] ?? Number.NaN} ms`;
  console.log(
    [
      String(runs).padStart(4),
      String(late.length).padStart(7),
      at(0.5).padStart(7),
      at(0.95).padStart(7),
      at(1).padStart(7),
    ].join(' '),
  );
}

worker.shutdown();
await running;
await connection.close();
await native.close();
await server.release();
await rm(stateDir, { recursive: true, force: true });

/** Milliseconds from each event of so many runs to its arrival, for each watcher. */
async function watched(runs: number): Promise<number[]> {
  const late: number[] = [];
  const watch = async (run: Awaited<ReturnType<typeof client.start>>) => {
    for await (const event of run.events()) if (isRecorded(event)) late.push(Date.now() - event.at);
  };
  const started = await Promise.all(Array.from({ length: runs }, () => client.start('paced', 'How late?')));
  await Promise.all(started.flatMap((run) => Array.from({ length: watchers }, () => watch(run))));
  return late;
}

/** Steps of a size and pace that a model might have: 100 ms to think, 50 ms to look. */
function paced() {
  const look = defineTool({ name: 'look', description: 'looks', run: () => sleep(50, 'x'.repeat(2048)) });
  const model = defineModel({
    call: async (_request, { step }) => ({
      text:
        Number(step) > STEPS ? ' Enough.\nFinal Answer: done' : ` More.\nAction: look\nAction Input: ${step}`,
      toolCalls: await sleep(100, []),
      finishReason: 'stop',
      usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
    }),
  });
  return defineAgent({ name: 'paced', kind: 'zero-shot', tools: [look], model, maxIterations: null });
}
