/**
 * Records the histories that test/replay replays, one for each path through the loop. Run once per release:
 *     npx tsx test/support/record-histories.ts test/fixtures/histories/0.2.0
 * Recorded files are never changed or written again: a replay that fails needs `patched()` or the manifest's loop version
 * in the workflow. Until 0.3.0 is released, all may be recorded again.
 */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection } from '@temporalio/worker';
import { AgentClient } from '../../client/api/agent-client.ts';
import { createLoadedConfig } from '../../config/load/loaded-config.ts';
import { createAgentWorker } from '../../worker/create-worker.ts';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { EARLY_CONTINUE_AS_NEW, startDevServer } from './dev-server.ts';
import { follow, loopPaths } from './loop-paths.ts';
import { operatedPaths } from './operated-paths.ts';
import { quiet } from './quiet.ts';
import { recordedAgents } from './recorded-agents.ts';
import { inTextFormat } from './scripts.ts';

const folder = process.argv[2];
if (folder === undefined) throw new Error('Usage: see the head of this file.');

/** Conversations: what is said, and how it ends. A summary is made of the first; the second goes on as new. */
const sessions = [
  { name: 'session', said: ['hello', 'fail', 'good morning', 'good night'], clear: true },
  { name: 'session-continued', said: Array.from({ length: 36 }, (_, index) => `${index + 1}`), clear: false },
];
quiet();
const taskQueue = `record-${Date.now()}`;
const { path } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
const server = await startDevServer(path ?? 'temporal', EARLY_CONTINUE_AS_NEW);
const { address } = server;
const native = await NativeConnection.connect({ address });
const connection = await Connection.connect({ address });
const temporal = new Client({ connection });
const config = createLoadedConfig(inTextFormat({ agents: recordedAgents }));
const worker = await createAgentWorker(config, { connection: native, taskQueue });
await mkdir(folder, { recursive: true });
const ids = new Map<string, string>();
await worker.runUntil(async () => {
  for (const { name, decide } of loopPaths) {
    const run = await new AgentClient(temporal, address, taskQueue).start(name, 'What now?');
    await follow(run, decide);
    ids.set(name, run.id);
    const runs = new Set<string>();
    for await (const event of run.events({ live: false })) if ('runId' in event) runs.add(event.runId);
    await store(run.id, [...runs], name);
    if (name === 'delegating') await store(`${run.id}/1.1`, await chain(`${run.id}/1.1`), 'sub-agent');
  }
  const client = new AgentClient(temporal, address, taskQueue);
  for (const { name, steer } of operatedPaths) {
    const run = await client.start(name, 'What now?');
    const others = (await steer(run, client)) ?? {};
    for (const [other, one] of Object.entries({ ...others, [name]: run })) {
      await one.result();
      await store(one.id, await chain(one.id), other);
    }
  }
  for (const { name, said, clear } of sessions) {
    for (const [index, input] of said.entries()) {
      const options = { session: name, id: `${name}-${index}`, detach: index % 2 === 1 };
      await client.start(name, input, options);
    }
    while ((await client.session(name).describe()).runs.length < said.length) await sleep(100);
    const last = client.get(`${name}-${said.length - 1}`);
    await last.result();
    await sleep(1000); // the session keeps the answer, and may sum up
    if (clear) {
      await store(last.id, [(await last.describe()).runId], 'run-in-session');
      await client.session(name).clear();
    }
    await store(`session:${name}`, await chain(`session:${name}`), name);
  }
  // The one is asked again and decides alike; the other makes a call that is run, and one that ends it.
  const recorded = ['final-answer', 'return-direct'].map((name) => ids.get(name) ?? '');
  const backtest = await client.backtest('final-answer', { runs: recorded, live: 'none-effects' });
  await backtest.report();
  await store(backtest.workflowId, await chain(backtest.workflowId), 'backtest');
  for (const [index, name] of ['backtest-same', 'backtest-left'].entries()) {
    const id = `${backtest.workflowId}/${recorded[index]}`;
    await store(id, await chain(id), name);
  }
});
await connection.close();
await native.close();
await server.stop();

/** All runs of a workflow, oldest first. */
async function chain(id: string): Promise<string[]> {
  const ids: string[] = [];
  for (let runId = (await temporal.workflow.getHandle(id).describe()).runId; runId !== '';) {
    ids.unshift(runId);
    const { events } = await temporal.workflow.getHandle(id, runId).fetchHistory();
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
  }
  return ids;
}

async function store(id: string, runs: string[], name: string): Promise<void> {
  for (const [index, runId] of runs.entries()) {
    const history = await temporal.workflow.getHandle(id, runId).fetchHistory();
    const file = join(String(folder), `${name}${index === 0 ? '' : `-${index + 1}`}.json`);
    if (existsSync(file)) continue;
    await writeFile(file, JSON.stringify(JSON.parse(historyToJSON(history), withoutMachine), null, 1));
  }
  console.log(name, runs.length);
}

/** Nothing of the machine that recorded goes into a file: no stack, no host, no process. */
function withoutMachine(key: string, value: unknown): unknown {
  if (key === 'stackTrace') return '';
  if (key === 'identity') return 'recorder';
  return typeof value === 'string' ? value.replaceAll(hostname(), 'host') : value;
}
