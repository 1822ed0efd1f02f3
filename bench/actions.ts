/**
 * How many billed actions does a run take on Temporal Cloud: for each step of a plain one, and for a long call? Counted as
 * `reloop show` does (history/views/billed-actions.ts), on the server that `reloop dev` starts, with a frugal worker.
 *
 *     node --import tsx bench/actions.ts [seconds of the long call, 60]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime } from '@temporalio/worker';
import { calculator, defineAgent, defineConfig, defineModel, defineTool } from '../index.ts';
import { AgentClient } from '../client/index.ts';
import { createLoadedConfig } from '../config/load/loaded-config.ts';
import { anyPorts } from '../local/server/ports.ts';
import { acquireServer } from '../local/server/server.ts';
import type { Tool } from '../adapters/tools/tool.ts';
import { createAgentWorker } from '../worker/create-worker.ts';

const STEPS = [10, 30];
const TASK_QUEUE = 'bench-actions';
const longSeconds = Number(process.argv[2] ?? 60);
Runtime.install({
  logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error },
});

const stateDir = await mkdtemp(join(tmpdir(), 'reloop-actions-'));
const server = await acquireServer({
  stateDir,
  ports: anyPorts,
  onProgress: (line) => console.error(line),
  onNote: () => undefined,
});
const { address } = server;
const connection = await NativeConnection.connect({ address });
const temporal = await Connection.connect({ address });
const client = new AgentClient(new Client({ connection: temporal }), address, TASK_QUEUE);
const config = defineConfig({ agents: agents(), taskQueue: TASK_QUEUE, heartbeats: 'frugal' });
const worker = await createAgentWorker(createLoadedConfig(config), { connection });
const running = worker.run();

const [few = 0, many = 0] = STEPS;
const plain = await perStep('look', many - few);
const inline = await perStep('calculator', many - few);
const long = await actionsOf(`wait-${longSeconds}`);
const short = await actionsOf('wait-0');
const call = 1 + long - short; // its attempt, and the heartbeats

console.log('                           actions   goal');
row('a step', plain.step, 2);
row('a run, beside its steps', plain.run);
row('a step, inline', inline.step, 1);
row('a run, beside its steps', inline.run);
row(`a call of ${longSeconds} s`, call, Math.floor(longSeconds / 5));

worker.shutdown();
await running;
await client.close();
await connection.close();
await server.release();
await rm(stateDir, { recursive: true, force: true });

function row(what: string, actions: number, goal?: number): void {
  const cells = [what.padEnd(24), actions.toFixed(2).padStart(9), goal?.toFixed(0).padStart(6) ?? ''];
  console.log(cells.join(' ').trimEnd());
}

/** What a step adds, by two runs that differ in nothing else. */
async function perStep(tool: string, more: number): Promise<{ step: number; run: number }> {
  const [one, other] = [await actionsOf(`${tool}-${few}`), await actionsOf(`${tool}-${many}`)];
  const step = (other - one) / more;
  return { step, run: other - step * many };
}

async function actionsOf(agent: string): Promise<number> {
  const run = await client.start(agent, 'How much?');
  await run.result();
  const { usage } = await run.describe();
  return usage.actions ?? Number.NaN;
}

/** `look` is an activity, the calculator is run with the model call. */
function agents() {
  const look = defineTool({
    name: 'look',
    description: 'looks',
    effects: 'none',
    run: () => 'x'.repeat(2048),
  });
  const wait = defineTool({
    name: 'wait',
    description: 'takes its time',
    run: (seconds: string) => sleep(Number(seconds) * 1000, 'over'),
  });
  return [
    ...STEPS.flatMap((steps) => [agentOf(look, steps), agentOf(calculator(), steps)]),
    ...[longSeconds, 0].map((seconds) => agentOf(wait, 1, String(seconds))),
  ];
}

function agentOf(tool: Tool, steps: number, input = String(steps)) {
  const text = (step: number) =>
    step > steps
      ? ' Enough.\nFinal Answer: done'
      : ` More.\nAction: ${tool.name}\nAction Input: ${tool.name === 'wait' ? input : step}`;
  const model = defineModel({
    call: async (_request, { step }) => ({
      text: text(Number(step)),
      toolCalls: [],
      finishReason: 'stop',
      usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
    }),
  });
  return defineAgent({
    name: `${tool.name}-${input}`,
    kind: 'zero-shot',
    tools: [tool],
    model,
    maxIterations: null,
  });
}
