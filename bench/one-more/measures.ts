import type { AgentRun } from '../../client/index.ts';
import { createLoadedConfig } from '../../config/load/loaded-config.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { limits } from '../../agent/values/limits.ts';
import { defineAgent, defineConfig, mcp } from '../../index.ts';
import { startGateway } from '../../test/support/gateway-server.ts';
import { createAgentWorker } from '../../worker/create-worker.ts';
import { startChild } from '../child.ts';
import { median } from '../results.ts';
import { readSteps } from '../step-times.ts';
import type { startWorkerHere } from '../worker-here.ts';
import { MOST_TOOLS, look, saying } from './agents.ts';
import type { Cost } from './slopes.ts';

type Here = Awaited<ReturnType<typeof startWorkerHere>>;

interface Measure {
  name: string;
  /** Column of the table: one more of what. */
  what: string;
  /** The largest size, if not every size can be. */
  most?: number;
  /** Measures with so many of it. Costs of a second call do not have those of the first. */
  measure(here: Here, size: number): Promise<Cost>;
}

const AT_A_TIME = 25;
/** Runs or pages of which the median counts. */
const SAMPLES = 5;

export const measures: readonly Measure[] = [
  { name: 'agents', what: 'agents of a config', measure: agentsOfConfig },
  { name: 'tools', what: 'tools of an agent, 5 steps', most: MOST_TOOLS, measure: toolsOfAgent },
  { name: 'open', what: 'runs that wait', measure: runsOpen },
  { name: 'closed', what: 'runs that have ended', measure: runsClosed },
  { name: 'steps', what: 'steps of a run', measure: stepsOfRun },
  { name: 'messages', what: 'messages of a session', most: 300, measure: messagesOfSession },
  { name: 'calls', what: 'calls that wait, in one step', most: limits.replyCalls, measure: callsThatWait },
  { name: 'streams', what: 'streams of a run', most: 200, measure: streamsOfRun },
  { name: 'mcp', what: 'MCP servers of a config', measure: mcpServers },
];

/** From the config to the answer of one of its agents. */
async function agentsOfConfig({ native, client }: Here, size: number): Promise<Cost> {
  const taskQueue = newId('agents');
  const before = heapMb();
  const agents = Array.from({ length: size }, (_, n) =>
    defineAgent({ name: `agent-${n}`, model: saying('Done.'), tools: [look] }),
  );
  const { ms, cpu } = await spent(async () => {
    const config = createLoadedConfig(defineConfig({ agents, taskQueue }));
    const worker = await createAgentWorker(config, { connection: native });
    const running = worker.run();
    await client.run('agent-0', 'Go.', { taskQueue });
    worker.shutdown();
    await running;
  });
  return { 'ms until an answer': ms, 'ms of processor': cpu, 'MB of heap': heapMb() - before };
}

async function toolsOfAgent(here: Here, size: number): Promise<Cost> {
  const id = newId('tools');
  const { cpu } = await spent(() => here.client.run(`tools-${size}`, 'Go.', { id }));
  const { bytes } = await readSteps(here.temporal, id, '');
  return { 'ms of processor': cpu, 'KB of history': bytes / 1024 };
}

/** Runs that wait, oldest first. */
const openRuns: AgentRun[] = [];

/** The runs of earlier sizes wait too. */
async function runsOpen({ client }: Here, size: number): Promise<Cost> {
  const ask = async () => {
    const run = await client.start('asks', 'Pay.', { id: newId('open') });
    await untilWaits(run);
    openRuns.push(run);
  };
  const missing = Math.max(0, size + SAMPLES - openRuns.length);
  const before = heapMb();
  await aFewAtATime(Array.from({ length: missing }), AT_A_TIME, ask);
  const heap = missing === 0 ? Number.NaN : ((heapMb() - before) * size) / missing;
  const page = await medianOf(() => client.listPage({ status: 'waiting', limit: 20 }));
  const answer = await medianOf(async () => {
    const run = openRuns.shift();
    if (run === undefined) return;
    await approveAll(run);
    await run.result();
  });
  return { 'MB of heap': heap, 'ms of a list of 20': page, 'ms from an approval to the answer': answer };
}

async function runsClosed({ client }: Here, size: number): Promise<Cost> {
  const tag = newId('closed');
  const run = () => client.run('short', 'Go.', { tags: [tag] });
  const { cpu } = await spent(() => aFewAtATime(Array.from({ length: size }), AT_A_TIME, run));
  const page = await medianOf(() => client.listPage({ tags: [tag], limit: 20 }));
  return { 'ms of processor': cpu, 'ms of a list of 20': page };
}

async function stepsOfRun(here: Here, size: number): Promise<Cost> {
  const id = newId('steps');
  const { ms, cpu } = await spent(() => here.client.run(`steps-${size}`, 'Go.', { id }));
  const { bytes, events } = await readSteps(here.temporal, id, '');
  const shown = await medianOf(() => here.client.get(id).describe());
  return { ms, 'ms of processor': cpu, 'KB of history': bytes / 1024, events, 'ms of describe()': shown };
}

async function messagesOfSession({ client }: Here, size: number): Promise<Cost> {
  const session = newId('messages');
  const { ms, cpu } = await spent(async () => {
    for (let n = 0; n < size; n++) await client.run('short', `Message ${n}.`, { session });
  });
  const shown = await medianOf(() => client.session(session).describe());
  return { ms, 'ms of processor': cpu, 'ms of describe()': shown };
}

async function callsThatWait(here: Here, size: number): Promise<Cost> {
  const id = newId('calls');
  const run = await here.client.start(`wide-${size}`, 'Pay.', { id });
  await untilWaits(run, size);
  const shown = await medianOf(() => run.describe());
  const { ms } = await spent(async () => {
    await approveAll(run);
    await run.result();
  });
  const { bytes } = await readSteps(here.temporal, id, '');
  return { 'ms of describe()': shown, 'ms of all approvals': ms, 'KB of history': bytes / 1024 };
}

/** Readers of one run that waits; the answer comes to all. */
async function streamsOfRun({ client }: Here, size: number): Promise<Cost> {
  const gateway = await startGateway(client, { open: true, requestsPerMinute: Number.MAX_SAFE_INTEGER });
  const run = await client.start('asks', 'Pay.', { id: newId('streams') });
  await untilWaits(run);
  const before = heapMb();
  const readers: Response[] = [];
  await aFewAtATime(Array.from({ length: size }), AT_A_TIME, async () => {
    const response = await fetch(`${gateway.url}/runs/${run.id}/events`);
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    readers.push(response);
  });
  const heap = heapMb() - before;
  const { ms, cpu } = await spent(async () => {
    await approveAll(run);
    const texts = await Promise.all(readers.map((reader) => reader.text()));
    if (!texts.every((text) => text.includes('Done.'))) throw new Error('A stream has no answer.');
  });
  gateway.stop();
  return { 'MB of heap': heap, 'ms until all have the answer': ms, 'ms of processor': cpu };
}

/** Connections to one server, as a config makes them, each with the list of its tools. */
async function mcpServers(_here: Here, size: number): Promise<Cost> {
  const server = await startChild<{ url: string }>('one-more/mcp-child.ts');
  const before = heapMb();
  const tools: unknown[] = [];
  const { ms, cpu } = await spent(async () => {
    for (let n = 0; n < size; n++)
      tools.push(await mcp({ url: server.ready.url }, { prefix: `server_${n}_` }));
  });
  const heap = heapMb() - before;
  await server.stop();
  return { 'ms until all are listed': ms, 'ms of processor': cpu, 'MB of heap': tools.length > 0 ? heap : 0 };
}

async function untilWaits(run: AgentRun, calls = 1): Promise<void> {
  for await (const _ of run.events()) if ((await run.describe()).waiting.length >= calls) return;
}

async function approveAll(run: AgentRun): Promise<void> {
  const { waiting } = await run.describe();
  await aFewAtATime(waiting, AT_A_TIME, ({ call, n }) => run.decide(call, { type: 'approve' }, n));
}

let ids = 0;
const newId = (name: string) => `${name}-${++ids}`;

async function spent(work: () => Promise<unknown>) {
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - began, cpu: (user + system) / 1000 };
}

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) times.push((await spent(work)).ms);
  return median(times);
}

/** Megabytes in use, after a collection where the process has `--expose-gc`. */
function heapMb(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}
