import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { AgentClient } from '../../client/index.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing.ts';
import { findTemporalBinary } from '../../server/binary/binary.ts';
import { type Command, reloop } from '../support/cli.ts';
import { type DevServer, startDevServer } from '../support/dev-server.ts';
import { act, answer } from '../support/scripts.ts';

/** Real workers as processes, killed with SIGKILL in the middle of their work. */
const folder = mkdtempSync(join(tmpdir(), 'reloop-crash-'));
const config = ['--config', 'test/fixtures/crash.config.ts'];
let server: DevServer;
let model: ScriptedServer;
let client: AgentClient;
let worker: Command | undefined;
let env: { [name: string]: string };

beforeAll(async () => {
  const { path } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
  server = await startDevServer(path ?? 'temporal', ['--db-filename', join(folder, 'temporal.db')]);
  // The model answers from what it is shown: it does not know how often it was asked.
  model = await startScriptedServer((request) => {
    const text = JSON.stringify(request.body);
    const steps = text.split('Observation: worked on').length - 1;
    if (text.includes('Observation: slowly did')) return answer('slow and steady');
    if (text.includes('slow one')) return act('slow', 'the slow one');
    return steps < 30 ? act('work', `part ${steps + 1}`) : answer('thirty parts');
  });
  client = await AgentClient.connect({ address: server.address });
});
afterEach(() => worker?.killGroup());
afterAll(async () => {
  await client.close();
  await model.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startWorker(record: string): Command {
  env = { OPENAI_BASE_URL: model.url, CRASH_RECORD: record };
  return reloop(['worker', '--address', server.address, ...config], env);
}

function executions(record: string): { input: string; key: string; attempt: number; done?: number }[] {
  const lines = readFileSync(record, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ReturnType<typeof executions>[number]);
}

test('six workers killed in a run of 30 steps cost at most one call each', async () => {
  const record = join(folder, 'six.jsonl');
  worker = startWorker(record);
  const before = model.requests.length;
  const run = await client.start('worker', 'Do thirty parts.');
  const kills = 6;
  for (let kill = 0; kill < kills; kill++) {
    await sleep(1500);
    await worker.killGroup();
    worker = startWorker(record);
  }
  const { output, intermediateSteps, iterations } = await run.result();
  const done = executions(record);
  expect(output).toBe('thirty parts');
  expect(iterations).toBe(31);
  expect(intermediateSteps.map(({ action }) => action.toolInput)).toEqual(
    Array.from({ length: 30 }, (_, index) => `part ${index + 1}`),
  );
  expect(model.requests.length - before).toBeLessThanOrEqual(31 + kills);
  expect(done.length).toBeLessThanOrEqual(30 + kills);
  expect(new Set(done.map(({ key }) => key)).size).toBe(30);
});

test('five workers killed in one call do not use up its only attempt, and it goes on from its checkpoint', async () => {
  const record = join(folder, 'five.jsonl');
  worker = startWorker(record);
  const run = await client.start('slow', 'Do the slow one.');
  for (let kill = 0; kill < 5; kill++) {
    const seen = kill;
    while (count(record) <= seen) await sleep(100);
    await sleep(800);
    await worker.killGroup();
    worker = startWorker(record);
  }
  const { output, intermediateSteps } = await run.result();
  expect(output).toBe('slow and steady');
  expect(intermediateSteps).toMatchObject([{ observation: 'slowly did the slow one', attempts: 6 }]);
  const parts = executions(record).map(({ done }) => done ?? 0);
  expect(parts).toEqual(parts.toSorted((a, b) => a - b));
  expect(parts.at(-1)).toBeGreaterThanOrEqual(5);
  expect(new Set(executions(record).map(({ key }) => key)).size).toBe(1);
});

test('a Temporal server killed in the middle of a run goes on with it from its file', async () => {
  const record = join(folder, 'server.jsonl');
  worker = startWorker(record);
  const run = await client.start('worker', 'Do thirty parts again.');
  while (count(record) < 5) await sleep(50);
  await server.killAndRestart();
  const fresh = await AgentClient.connect({ address: server.address });
  const { output, intermediateSteps } = await fresh.get(run.id).result();
  expect(output).toBe('thirty parts');
  expect(intermediateSteps).toHaveLength(30);
  await fresh.close();
});

function count(record: string): number {
  try {
    return executions(record).length;
  } catch {
    return 0; // nothing was written yet
  }
}
