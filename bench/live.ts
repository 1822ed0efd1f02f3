/**
 * How long after an event is recorded does a watcher have it? Several runs at once, each with its own watchers, on the
 * server that `reloop dev` starts. And how long after the model's chunk does a watcher have its text: of four runs at once, with the worker
 * in this process, and in another one without and with each broker that is installed.
 *
 *     node --import tsx bench/live.ts [watchers of each run]      after `npm run build`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineModel, defineTool } from '../index.ts';
import clocks from './live.config.ts';
import { isRecorded } from '../agent/run/events.ts';
import { AgentClient, type AgentRun } from '../client/index.ts';
import { createLoadedConfig } from '../config/load/loaded-config.ts';
import { brokerNames, brokerProblem, startBroker } from '../test/support/brokers.ts';
import { reloop } from '../test/support/cli.ts';
import { createAgentWorker } from '../worker/create-worker.ts';
import { startWorkerHere } from './worker-here.ts';

const STEPS = 10;
const TASK_QUEUE = 'bench-live';
const CLOCKS = 'bench-live-text';
const watchers = Number(process.argv[2] ?? 1);

const { address, stateDir, native, temporal, client, stop } = await startWorkerHere(TASK_QUEUE, [paced()]);

console.log('runs  events  median     p95     max');
await watched(1); // warms up
for (const runs of [1, 4, 16]) {
  console.log(`${String(runs).padStart(4)} ${spread(await watched(runs))}`);
}

console.log('\nworker           text events  median     p95     max');
const writing = await createAgentWorker(createLoadedConfig(clocks), {
  connection: native,
  taskQueue: CLOCKS,
});
const written = writing.run();
printDelays('this process', await delays(new AgentClient(temporal, address, CLOCKS)));
writing.shutdown();
await written;
await withWorker('no channel', undefined);
for (const name of brokerNames) {
  const problem = await brokerProblem(name);
  if (problem !== undefined) {
    console.log(`${name}: ${problem}`);
    continue;
  }
  const broker = await startBroker(name);
  await withWorker(name, broker.url);
  await broker.stop();
}

await stop();

/** Their number, the median, the 95th of a hundred, and the largest. */
function spread(delaysMs: readonly number[]): string {
  const late = delaysMs.toSorted((a, b) => a - b);
  const at = (part: number) =>
    `${late[Math.min(late.length - 1, Math.floor(late.length * part))] ?? Number.NaN} ms`;
  return [String(late.length).padStart(7), ...[0.5, 0.95, 1].map((part) => at(part).padStart(7))].join(' ');
}

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

/** Delays of texts from a worker in another process. */
async function withWorker(name: string, url: string | undefined): Promise<void> {
  const args = ['worker', '--address', address, '--task-queue', CLOCKS, '--config', 'bench/live.config.ts'];
  const other = reloop(args, { RELOOP_STATE_DIR: stateDir, ...(url && { RELOOP_LIVE_URL: url }) });
  await other.prints('Worker ready');
  const reader = await AgentClient.connect({ address, taskQueue: CLOCKS, ...(url && { live: { url } }) });
  printDelays(name, await delays(reader));
  await reader.close();
  await other.killGroup();
}

/** Milliseconds from each chunk of the model to the event that has it. */
async function delays(reader: AgentClient): Promise<number[]> {
  const late: number[] = [];
  const watch = async (run: AgentRun) => {
    let known = 0;
    for await (const event of run.events()) {
      if (event.type !== 'model_text') continue;
      const now = Date.now();
      const chunks = event.text.trim().split(' ');
      late.push(...chunks.slice(known).map((chunk) => now - Number(chunk)));
      known = chunks.length;
    }
  };
  const runs = await Promise.all(Array.from({ length: 4 }, () => reader.start('clock', 'How late?')));
  await Promise.all(runs.map(watch));
  return late;
}

function printDelays(name: string, late: readonly number[]): void {
  console.log(`${name.padEnd(16)} ${spread(late)}`);
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
