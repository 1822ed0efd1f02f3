import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CUT_CALL, cancelledTool } from '../../agent/observations.ts';
import { AgentClient, type AgentRun } from '../../client/index.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing.ts';
import { findTemporalBinary } from '../../server/binary/binary.ts';
import { type Command, reloop } from '../support/cli.ts';
import { type DevServer, startDevServer } from '../support/dev-server.ts';
import { until } from '../support/processes.ts';
import { act, answer } from '../support/scripts.ts';

/** Calls that are to end, at the run's time limit or by a person, after their worker was killed and before that is known. */
const folder = mkdtempSync(join(tmpdir(), 'reloop-deadline-'));
const record = join(folder, 'attempts');
/** A second more than the agents' limit, and than the time after which a silent worker is taken for dead. */
const OVER_DEADLINE_MS = 9_000;
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
    if (prompt.includes('cancelled before it ended')) return answer('without it');
    return act(prompt.includes('strict') ? 'strict' : 'lenient', 'x');
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

test('a worker that is killed before the end of its calls leaves them to end as they would have', async () => {
  const cases: readonly {
    agent: string;
    question: 'Act.' | 'Think.';
    end?: (run: AgentRun) => Promise<unknown>;
    result: object;
  }[] = [
    { agent: 'hasty', question: 'Act.', result: cut },
    { agent: 'strict', question: 'Act.', result: cut },
    { agent: 'hasty', question: 'Think.', result: { ...cut, intermediateSteps: [] } },
    {
      agent: 'patient',
      question: 'Act.',
      end: (run) => run.decide('1.1', { type: 'cancelCall' }),
      result: { output: 'without it', intermediateSteps: [{ observation: cancelledTool(undefined) }] },
    },
    { agent: 'patient', question: 'Act.', end: (run) => run.cancel(), result: cancelled },
    { agent: 'patient', question: 'Think.', end: (run) => run.cancel(), result: cancelled },
  ];
  const runs = await interrupted(cases.map(({ agent, question }) => [agent, question] as const));
  const waiting = sleep(OVER_DEADLINE_MS);
  startWorker();
  await Promise.all(runs.map(async (run, index) => cases[index]?.end?.(run)));
  await waiting;
  const results = await Promise.all(runs.map((run) => run.result().catch((error: unknown) => error)));
  expect(results).toMatchObject(cases.map(({ result }) => result));
});

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
const cancelled = { name: 'AgentRunCancelled' };
