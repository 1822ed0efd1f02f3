import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cancelledTool } from '../../agent/observation/observations.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { until } from '../support/processes.ts';
import { type PythonWorker, fetchPythonWorker, startPythonWorker } from '../support/python-venv.ts';
import { eventOf, waitOf } from '../support/rig.ts';
import { act, answer } from '../support/scripts.ts';

/** The example's tools, run by its Python worker as a process that is killed with SIGKILL. */
const fetched = await fetchPythonWorker();
const python = 'python' in fetched ? fetched.python : '';
const title = 'missing' in fetched ? ` (skipped: no temporalio for Python here: ${fetched.missing})` : '';

const stay = '{"city": "Oslo", "nights": "2"}';
const booked = { booked: 'Oslo', nights: 2 };
/** What the model wants, question by question. */
const actions: { [question: string]: string[] } = {
  'Look around.': [act('capital', 'Norway'), act('capital', 'Atlantis')],
  'Book a room.': [act('book', stay)],
  'Walk about.': [act('survey', 'Oslo')],
};

let rig: CrashRig;
let bookings: string;
let tools: PythonWorker | undefined;

describe.skipIf(python === '')(`a worker in Python${title}`, () => {
  beforeAll(async () => {
    rig = await startCrashRig({
      config: 'examples/python-tool/external-tool.config.ts',
      replies({ prompt }) {
        const [question = '', wanted] = Object.entries(actions).find(([text]) => prompt.includes(text)) ?? [];
        const done = prompt.slice(prompt.indexOf(question)).split('Observation: ').length - 1;
        return wanted?.[done] ?? answer('done');
      },
    });
    rig.startWorker();
    bookings = join(rig.folder, 'bookings.jsonl');
  });
  afterEach(() => tools?.kill());
  afterAll(() => rig.stop());

  const startTools = (file = bookings) =>
    (tools = startPythonWorker(python, rig.server.address, { BOOKINGS: file }));

  test('has tools: what they return is observed, and what they refuse is told to the model', async () => {
    startTools();
    const { output, intermediateSteps } = await rig.client.run('traveller', 'Look around.');
    expect(output).toBe('done');
    expect(intermediateSteps).toMatchObject([
      { observation: 'Oslo', attempts: 1 },
      { observation: 'Atlantis has no capital', attempts: 1 },
    ]);
  });

  test('raises, and the call is tried again, and then as often as a person likes', async () => {
    const missing = join(rig.folder, 'missing');
    startTools(join(missing, 'bookings.jsonl'));
    const run = await rig.client.start('traveller', 'Book a room.');
    const wait = await waitOf(run);
    expect(wait).toMatchObject({ call: '1.1', n: 0, error: { type: 'FileNotFoundError' } });
    mkdirSync(missing);
    await run.decide('1.1', { type: 'retry' });
    expect((await run.result()).intermediateSteps).toMatchObject([{ observation: booked }]);
  });

  test('that is killed between effect and answer, and says nothing meanwhile, is missed at the time-out', async () => {
    const first = startTools();
    const run = await rig.client.start('traveller', 'Book a room.');
    await until(() => linesOf(bookings).length > 0);
    await first.kill();
    startTools();
    expect((await run.result()).intermediateSteps).toMatchObject([{ observation: booked, attempts: 2 }]);
    expect(await lostAttempt(run.id)).toBe('START_TO_CLOSE');
    expect(linesOf(bookings)).toHaveLength(1);
  });

  test('that heartbeats is missed when it is killed, and another one goes on where it was', async () => {
    const first = startTools();
    const run = await rig.client.start('traveller', 'Walk about.');
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
    const run = await rig.client.start('traveller', 'Walk about.');
    await eventOf(run.events(), 'tool_progress');
    await run.decide('1.1', { type: 'cancelCall' });
    await worker.prints('stopped in street');
    expect(await run.result()).toMatchObject({
      output: 'done',
      intermediateSteps: [{ observation: cancelledTool(undefined) }],
    });
  });
});

/** The time-out that told the server of an attempt's end. */
async function lostAttempt(id: string): Promise<string | undefined> {
  const { events } = await rig.client.temporal.workflow.getHandle(id).fetchHistory();
  for (const { activityTaskStartedEventAttributes: started } of events ?? []) {
    const timeout = started?.lastFailure?.timeoutFailureInfo?.timeoutType;
    if (timeout) return TIMEOUTS[timeout];
  }
  return undefined;
}

/** Temporal's numbers for them. */
const TIMEOUTS: { [type: number]: string } = { 1: 'START_TO_CLOSE', 4: 'HEARTBEAT' };
