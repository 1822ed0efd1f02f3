/**
 * How much more does a step of Reloop cost than a step of a loop of two activities written by hand, at 20 and at 300
 * steps? Same server, same worker settings, same model and tool, taken in turns in one run.
 *
 *     npm run bench [-- rounds]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker, bundleWorkflowCode } from '@temporalio/worker';
import { defineAgent, defineConfig, defineModel, defineTool } from '../index.ts';
import { AgentClient } from '../client/index.ts';
import { createLoadedConfig } from '../config/loaded-config.ts';
import { createAgentWorker, workerSettings } from '../worker/create-worker.ts';
import { acquireServer } from '../server/server.ts';

const OBSERVATION = 'x'.repeat(2048);
const rounds = Number(process.argv[2] ?? 3);
const silent = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error };
Runtime.install({ logger: silent });

const stateDir = await mkdtemp(join(tmpdir(), 'reloop-bench-'));
const server = await acquireServer({ stateDir, onProgress: (line) => console.error(line) });
const { address } = server;
const native = await NativeConnection.connect({ address });
const connection = await Connection.connect({ address });
const temporal = new Client({ connection });

const began = performance.now();
const workers = [await reloopWorker(), await handwrittenWorker()];
const running = workers.map((worker) => worker.run());
console.log(`two workers ready after ${Math.round(performance.now() - began)} ms\n`);

console.log('steps  by hand  Reloop   ratio  bytes/step  events/step');
for (const steps of [20, 300]) {
  const ours: number[] = [];
  const theirs: number[] = [];
  let size = { bytes: 0, events: 0 };
  for (let round = 0; round <= rounds; round++) {
    const [hand, reloop] = [await runHandwritten(steps), await runReloop(steps)];
    size = reloop.size;
    if (round === 0) continue; // warms both up
    theirs.push(hand);
    ours.push(reloop.ms);
  }
  const [a, b] = [median(theirs), median(ours)];
  const cells = [
    String(steps).padStart(5),
    `${a.toFixed(1)} ms`.padStart(8),
    `${b.toFixed(1)} ms`.padStart(7),
    (b / a).toFixed(2).padStart(6),
    Math.round(size.bytes / steps)
      .toString()
      .padStart(11),
    (size.events / steps).toFixed(1).padStart(12),
  ];
  console.log(cells.join(' '));
}

workers.forEach((worker) => worker.shutdown());
await Promise.all(running);
await connection.close();
await native.close();
await server.release();
await rm(stateDir, { recursive: true, force: true });

async function runReloop(steps: number) {
  const client = new AgentClient(temporal, address, 'bench-reloop');
  const start = performance.now();
  const run = await client.start(`steps-${steps}`, 'How long does it take?');
  await temporal.workflow.getHandle(run.id).result();
  const ms = (performance.now() - start) / steps;
  const { history } = await run.describe();
  return { ms, size: history };
}

async function runHandwritten(steps: number): Promise<number> {
  const start = performance.now();
  const run = `${steps}-${Math.random()}`;
  await temporal.workflow.execute('handwritten', { workflowId: run, taskQueue: 'bench-hand', args: [run] });
  return (performance.now() - start) / steps;
}

function reloopWorker(): Promise<Worker> {
  const tool = defineTool({ name: 'look', description: 'looks', effects: 'none', run: () => OBSERVATION });
  const agents = [20, 300].map((steps) =>
    defineAgent({
      name: `steps-${steps}`,
      tools: [tool],
      maxIterations: null,
      model: defineModel({
        call: async (_request, { step }) => ({
          text:
            Number(step) > steps
              ? ' Enough.\nFinal Answer: done'
              : ` More.\nAction: look\nAction Input: ${step}`,
          toolCalls: [],
          finishReason: 'stop',
          usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
        }),
      }),
    }),
  );
  const loaded = createLoadedConfig(defineConfig({ agents, taskQueue: 'bench-reloop' }));
  return createAgentWorker(loaded, { connection: native });
}

async function handwrittenWorker(): Promise<Worker> {
  const transcripts = new Map<string, string[]>();
  const workflowsPath = fileURLToPath(new URL('./handwritten.ts', import.meta.url));
  return Worker.create({
    ...workerSettings,
    connection: native,
    taskQueue: 'bench-hand',
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: silent }),
    activities: {
      async think(run: string, step: number) {
        const transcript = transcripts.get(run) ?? [];
        transcripts.set(run, transcript);
        const prompt = transcript.join('\n'); // what a model would be asked with
        if (prompt.length < 0 || step > Number(run.split('-')[0])) return { answer: 'done' };
        transcript.push(` More.\nAction: look\nAction Input: ${step}`);
        return { tool: 'look', input: String(step) };
      },
      async look(run: string, _input: string) {
        transcripts.get(run)?.push(OBSERVATION);
        return OBSERVATION;
      },
    },
  });
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
