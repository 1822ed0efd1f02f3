import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CUT_CALL } from '../../agent/observations.ts';
import { AgentClient } from '../../client/index.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing.ts';
import { findTemporalBinary } from '../../worker/temporal-binary.ts';
import { type Command, reloop } from '../support/cli.ts';
import { type DevServer, startDevServer } from '../support/dev-server.ts';
import { until } from '../support/processes.ts';
import { act } from '../support/scripts.ts';

/** Calls that are to end after their worker was killed. */
const folder = mkdtempSync(join(tmpdir(), 'reloop-deadline-'));
const record = join(folder, 'attempts');
/** More than the agents' limit, and than the time after which a silent worker is taken for dead. */
const OVER_HEARTBEAT_MS = 11_000;
let server: DevServer;
let model: ScriptedServer;
let client: AgentClient;
let worker: Command | undefined;

beforeAll(async () => {
  const { path } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
  server = await startDevServer(path);
  model = await startScriptedServer(({ prompt }) => {
    if (prompt.includes('Think.')) return { hang: true };
    return act('lenient', 'x');
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
  const args = ['worker', '--address', server.address, '--config', 'test/fixtures/deadline.config.ts'];
  return (worker = reloop(args, { OPENAI_BASE_URL: model.url, CRASH_RECORD: record }));
}

/** Runs whose worker is killed as soon as each is in its first model or tool call. */
async function interrupted(questions: readonly (readonly [agent: string, question: string])[]) {
  const tools = questions.filter(([, question]) => question !== 'Think.').length;
  const before = { attempts: attempts(), requests: model.requests.length };
  const doomed = startWorker();
  const runs = await Promise.all(questions.map(([agent, question]) => client.start(agent, question)));
  await until(
    () =>
      attempts() >= before.attempts + tools && model.requests.length >= before.requests + questions.length,
  );
  await doomed.killGroup();
  return runs;
}

test('a worker that comes when both death and time limit are over cuts what it finds', async () => {
  const runs = await interrupted([
    ['hasty', 'Act.'],
    ['hasty', 'Think.'],
  ]);
  await sleep(OVER_HEARTBEAT_MS);
  startWorker();
  const results = await Promise.all(runs.map((run) => run.result()));
  expect(results).toMatchObject([cut, { ...cut, intermediateSteps: [] }]);
});

function attempts(): number {
  return existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n').length : 0;
}

const cut = { stopReason: 'max_execution_time', intermediateSteps: [{ observation: CUT_CALL }] };
