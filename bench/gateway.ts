/**
 * When has a reader of the gateway the first event of a run, beside `run.events()` in the same process? And how much memory do 2,000
 * streams of runs that wait take in one `reloop serve`?
 *
 *     node --import tsx bench/gateway.ts [streams]      after `npm run build`
 */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineModel, defineTool } from '../index.ts';
import type { AgentRun } from '../client/index.ts';
import { reloop } from '../test/support/cli.ts';
import { freePort } from '../test/support/dev-server.ts';
import { startGateway } from '../test/support/gateway-server.ts';
import { startWorkerHere } from './worker-here.ts';

const ROUNDS = 200;
const RUNS = 20;
/** A caller may ask 600 times a minute. */
const STREAMS_OF_A_CALLER = 200;
const SETTLE_MS = 10_000;
/** Limit of V8's heap, as Node sets it itself in a container of 512 MB. */
const HEAP = '--max-old-space-size=256';
/** 20 KB, so that a stream that keeps what it has read is seen. */
const QUESTION = 'How long? '.repeat(2000);
const TASK_QUEUE = 'bench-gateway';
const streams = Number(process.argv[2] ?? 2000);

const { address, stateDir, client, stop } = await startWorkerHere(TASK_QUEUE, [waiting()]);

await measureFirstEvents();
await measureStreams();

await stop();

/** The two ways take turns on one run that waits, so that a run's pace is no part of the numbers. */
async function measureFirstEvents(): Promise<void> {
  const gateway = await startGateway(client, { open: true, requestsPerMinute: Number.MAX_SAFE_INTEGER });
  const run = await startedRun('first');
  const url = `${gateway.url}/runs/${run.id}/events`;
  const [direct, served]: [number[], number[]] = [[], []];
  for (let round = -20; round < ROUNDS; round++) {
    const times = [await timed(() => firstEvent(run)), await timed(() => firstMessage(url))];
    if (round < 0) continue; // warms up
    direct.push(times[0] ?? 0);
    served.push(times[1] ?? 0);
  }
  gateway.stop();
  const [events, messages] = [medianOf(direct), medianOf(served)];
  console.log(
    `first event, median of ${ROUNDS}: run.events() ${events.toFixed(2)} ms, the gateway's stream ${messages.toFixed(2)} ms`,
  );
  console.log(`ratio ${(messages / events).toFixed(2)}`);
}

async function measureStreams(): Promise<void> {
  const port = await freePort();
  const names = Array.from(
    { length: Math.ceil(streams / STREAMS_OF_A_CALLER) },
    (_, index) => `caller-${index}`,
  );
  const tokens = join(stateDir, 'callers.json');
  await writeFile(tokens, JSON.stringify(names.map((name) => ({ name, token: tokenOf(name) }))));
  const args = ['serve', '--address', address, '--port', String(port), '--tokens', tokens];
  const gateway = reloop([...args, '--config', 'test/fixtures/gateway.config.ts'], {
    RELOOP_STATE_DIR: stateDir,
    NODE_OPTIONS: HEAP,
  });
  await gateway.prints('Gateway ready');
  const pid = Number(gateway.child.pid);
  const runs = await Promise.all(Array.from({ length: RUNS }, (_, index) => startedRun(`idle-${index}`)));
  const agent = new Agent({ maxSockets: Infinity });
  const open = async (index: number) => {
    const path = `http://127.0.0.1:${port}/runs/${runs[index % RUNS]?.id}/events`;
    const authorization = `Bearer ${tokenOf(names[Math.floor(index / STREAMS_OF_A_CALLER)] ?? '')}`;
    const [response] = (await once(get(path, { agent, headers: { authorization } }), 'response')) as [
      IncomingMessage,
    ]; // Node's own event
    if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
    response.resume();
    return response;
  };
  await open(0).then((response) => response.destroy());
  await sleep(SETTLE_MS);
  const before = await megabytesOf(pid);
  const opened: IncomingMessage[] = [];
  while (opened.length < streams) {
    const from = opened.length;
    opened.push(...(await Promise.all(Array.from({ length: 50 }, (_, index) => open(from + index)))));
  }
  await sleep(SETTLE_MS);
  const after = await megabytesOf(pid);
  console.log(
    `memory of reloop serve: ${before} MB without streams, ${after} MB with ${streams} idle streams`,
  );
  for (const response of opened) response.destroy();
  await sleep(SETTLE_MS);
  console.log(`${await megabytesOf(pid)} MB after they have left`);
  agent.destroy();
  await gateway.killGroup();
}

/** A run that waits for an approval. */
async function startedRun(id: string): Promise<AgentRun> {
  const run = await client.start('waiting', QUESTION, { id });
  for await (const { type } of run.events()) if (type === 'waiting') break;
  return run;
}

async function firstEvent(run: AgentRun): Promise<void> {
  for await (const _ of run.events()) return;
}

/** The first message of a stream; a comment is none. */
async function firstMessage(url: string): Promise<void> {
  const left = new AbortController();
  const response = await fetch(url, { signal: left.signal });
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body ?? [])
      if (decoder.decode(piece as Uint8Array).includes('data:')) return;
  } finally {
    left.abort();
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function tokenOf(name: string): string {
  return `a-token-of-${name}`;
}

/** Resident memory of a process, as Linux has it. */
async function megabytesOf(pid: number): Promise<number> {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/mu.exec(await readFile(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Math.round(Number(kilobytes) / 1000);
}

function waiting() {
  const pay = defineTool({ name: 'pay', description: 'pays', approval: 'always', run: () => 'paid' });
  const model = defineModel({
    call: async () => ({
      text: ' More.\nAction: pay\nAction Input: 1',
      toolCalls: [],
      finishReason: 'stop',
      usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
    }),
  });
  return defineAgent({ name: 'waiting', kind: 'zero-shot', tools: [pay], model });
}
