import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cancelledTool } from '../../agent/observations.ts';
import { AgentClient } from '../../client/index.ts';
import { type ScriptedServer, startScriptedServer } from '../../testing.ts';
import { findTemporalBinary } from '../../server/binary/binary.ts';
import { type Command, reloop } from '../support/cli.ts';
import { type DevServer, startDevServer } from '../support/dev-server.ts';
import { until } from '../support/processes.ts';
import { type PythonWorker, fetchPythonWorker, startPythonWorker } from '../support/python-venv.ts';
import { eventOf } from '../support/rig.ts';
import { act, answer } from '../support/scripts.ts';

/** The example's tools, run by its Python worker as a process that is killed with SIGKILL. */
const fetched = await fetchPythonWorker();
const python = 'python' in fetched ? fetched.python : '';
const title = 'missing' in fetched ? ` (skipped: no temporalio for Python here: ${fetched.missing})` : '';

const folder = mkdtempSync(join(tmpdir(), 'reloop-python-worker-'));
const bookings = join(folder, 'bookings.jsonl');
const stay = '{"city": "Oslo", "nights": "2"}';
const booked = { booked: 'Oslo', nights: 2 };
/** What the model wants, question by question. */
const actions: { [question: string]: string[] } = {
  'Look around.': [act('capital', 'Norway'), act('capital', 'Atlantis')],
  'Book a room.': [act('book', stay)],
  'Walk about.': [act('survey', 'Oslo')],
};

let server: DevServer;
let model: ScriptedServer;
let client: AgentClient;
let agents: Command;
let tools: PythonWorker | undefined;

describe.skipIf(python === '')(`a worker in Python${title}`, () => {
  beforeAll(async () => {
    const { path } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
    server = await startDevServer(path);
    model = await startScriptedServer(({ prompt }) => {
      const [question = '', wanted] = Object.entries(actions).find(([text]) => prompt.includes(text)) ?? [];
      const done = prompt.slice(prompt.indexOf(question)).split('Observation: ').length - 1;
      return wanted?.[done] ?? answer('done');
    });
    client = await AgentClient.connect({ address: server.address });
    const config = ['--config', 'examples/python-tool/external-tool.config.ts'];
    agents = reloop(['worker', '--address', server.address, ...config], { OPENAI_BASE_URL: model.url });
  });
  afterEach(() => tools?.kill());
  afterAll(async () => {
    await agents.killGroup();
    await client.close();
    await model.close();
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const startTools = (file = bookings) =>
    (tools = startPythonWorker(python, server.address, { BOOKINGS: file }));

  test('has tools: what they return is observed, and what they refuse is told to the model', async () => {
    startTools();
    const { output, intermediateSteps } = await client.run('traveller', 'Look around.');
    expect(output).toBe('done');
    expect(intermediateSteps).toMatchObject([
      { observation: 'Oslo', attempts: 1 },
      { observation: 'Atlantis has no capital', attempts: 1 },
    ]);
  });

  test('raises, and the call is tried again, and then as often as a person likes', async () => {
    const missing = join(folder, 'missing');
    startTools(join(missing, 'bookings.jsonl'));
    const run = await client.start('traveller', 'Book a room.');
    const { park } = await eventOf(run.events(), 'waiting');
    expect(park).toMatchObject({ call: '1.1', n: 0, error: { type: 'FileNotFoundError' } });
    mkdirSync(missing);
    await run.decide('1.1', { type: 'retry' });
    expect((await run.result()).intermediateSteps).toMatchObject([{ observation: booked }]);
  });

  test('that is killed between effect and answer, and says nothing meanwhile, is missed at the time-out', async () => {
    const first = startTools();
    const run = await client.start('traveller', 'Book a room.');
    await until(() => lines().length > 0);
    await first.kill();
    startTools();
    expect((await run.result()).intermediateSteps).toMatchObject([{ observation: booked, attempts: 2 }]);
    expect(await lostAttempt(run.id)).toBe('START_TO_CLOSE');
    expect(lines()).toHaveLength(1);
  });

  test('that heartbeats is missed when it is killed, and another one goes on where it was', async () => {
    const first = startTools();
    const run = await client.start('traveller', 'Walk about.');
    const { text } = await eventOf(run.events(), 'tool_progress');
    expect(text).toMatch(/^[1-8] of 8 streets$/u);
    await first.kill();
    startTools();
    expect((await run.result()).intermediateSteps).toMatchObject([
      { observation: expect.stringMatching(/^8 streets of Oslo, this worker began at [1-8]$/u), attempts: 2 },
    ]);
    expect(await lostAttempt(run.id)).toBe('HEARTBEAT');
  });

  test('that heartbeats hears that its call is cancelled, and stops', async () => {
    const worker = startTools();
    const run = await client.start('traveller', 'Walk about.');
    await eventOf(run.events(), 'tool_progress');
    await run.decide('1.1', { type: 'cancelCall' });
    await worker.prints('stopped in street');
    expect(await run.result()).toMatchObject({
      output: 'done',
      intermediateSteps: [{ observation: cancelledTool(undefined) }],
    });
  });
});

function lines(): string[] {
  return existsSync(bookings) ? readFileSync(bookings, 'utf8').trim().split('\n') : [];
}

/** The time-out that told the server of an attempt's end. */
async function lostAttempt(id: string): Promise<string | undefined> {
  const { events } = await client.temporal.workflow.getHandle(id).fetchHistory();
  for (const { activityTaskStartedEventAttributes: started } of events ?? []) {
    const timeout = started?.lastFailure?.timeoutFailureInfo?.timeoutType;
    if (timeout) return TIMEOUTS[timeout];
  }
  return undefined;
}

/** Temporal's numbers for them. */
const TIMEOUTS: { [type: number]: string } = { 1: 'START_TO_CLOSE', 4: 'HEARTBEAT' };
