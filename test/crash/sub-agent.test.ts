import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Usage, addUsage, noUsage } from '../../agent/vocabulary.ts';
import { AgentClient, type AgentRun } from '../../client/index.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing.ts';
import { findTemporalBinary } from '../../server/binary/binary.ts';
import { type Command, reloop } from '../support/cli.ts';
import { type DevServer, startDevServer } from '../support/dev-server.ts';
import { until } from '../support/processes.ts';
import { act, answer } from '../support/scripts.ts';

/** A run and its sub-agent's, whose one worker is killed with SIGKILL. */
const folder = mkdtempSync(join(tmpdir(), 'reloop-sub-agent-'));
const record = join(folder, 'executions');
const PARTS = 10;
let server: DevServer;
let model: ScriptedServer;
let client: AgentClient;
let worker: Command | undefined;

beforeAll(async () => {
  const { path } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
  server = await startDevServer(path);
  model = await startScriptedServer(({ prompt }) => {
    if (prompt.includes('Observation: all parts')) return answer('well done');
    if (prompt.includes('Have it done.')) return act('worker', 'Do the parts.');
    const done = prompt.split('Observation: worked on').length - 1;
    return done < PARTS ? act('work', `part ${done + 1}`) : answer('all parts');
  });
  client = await AgentClient.connect({ address: server.address });
});
afterEach(() => worker?.killGroup());
afterAll(async () => {
  await client.close();
  await model.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

function startWorker(): Command {
  const args = ['worker', '--address', server.address, '--config', 'test/fixtures/sub-agent.config.ts'];
  return (worker = reloop(args, { OPENAI_BASE_URL: model.url, CRASH_RECORD: record }));
}

test('a sub-agent whose worker is killed three times does its parts, each under one key, and all usage is counted', async () => {
  let current = startWorker();
  const run = await client.start('boss', 'Have it done.');
  const kills = 3;
  for (let kill = 1; kill <= kills; kill++) {
    const seen = executions().length;
    await until(() => executions().length > seen + 1);
    await current.killGroup();
    current = startWorker();
  }
  const result = await run.result();
  expect(result).toMatchObject({
    output: 'well done',
    intermediateSteps: [{ action: { tool: 'worker' }, observation: 'all parts', attempts: 1 }],
  });
  const child = await client.get(`${run.id}/1.1`).result();
  expect(child.intermediateSteps.map(({ observation }) => observation)).toEqual(
    Array.from({ length: PARTS }, (_, index) => `worked on part ${index + 1}`),
  );
  const keys = executions();
  expect(new Set(keys).size).toBe(PARTS);
  expect(keys.length).toBeLessThanOrEqual(PARTS + kills);
  expect(result.usage.modelCalls).toBe(2 + PARTS + 1);
  expect(result.usage).toEqual(addUsage(await ownUsage(run), child.usage));
});

/** The idempotency key of every execution of the sub-agent's tool. */
function executions(): string[] {
  const lines = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : [];
  return lines.map((line) => (JSON.parse(line) as { key: string }).key); // crash.config.ts wrote it
}

async function ownUsage(run: AgentRun): Promise<Usage> {
  let sum = noUsage;
  for await (const event of run.events({ live: false })) {
    if (event.type === 'model_ended') sum = addUsage(sum, event.turn.usage);
  }
  return sum;
}
