import { afterAll, beforeEach, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import { defineTool } from '../../tools/tool.ts';
import { type Rig, eventsOf, startRig, waitOf } from '../support/rig.ts';
import { act, answer, script } from '../support/scripts.ts';
import { brokenTool } from '../support/sample-tools.ts';

const told: { event: RunEvent; id: string }[] = [];
let tries = 0;
const flaky = defineTool({
  name: 'flaky',
  description: 'works the second time',
  retry: { maxAttempts: 2, initialInterval: 50 },
  run(input) {
    if (tries++ === 0) throw new Error('not yet');
    return `got ${input}`;
  },
});
const broken = brokenTool('no');

const rigs: Rig[] = [];
beforeEach(() => {
  told.length = 0;
});
afterAll(() => Promise.all(rigs.map((rig) => rig.stop())));

async function rigWith(onEvent: (event: RunEvent, run: { id: string }) => unknown): Promise<Rig> {
  const rig = await startRig({
    agents: [
      {
        name: 'busy',
        model: script(act('flaky', 'a'), 'hm', act('nothing', 'x'), answer('done')),
        tools: [flaky],
      },
      { name: 'stopped', model: script(act('broken', 'x')), tools: [broken], maxIterations: 1 },
      { name: 'failing', model: script('hm'), handleParsingErrors: false },
    ],
    onEvent,
  });
  rigs.push(rig);
  return rig;
}

const tell = (event: RunEvent, { id }: { id: string }) => void told.push({ event, id });

test("a worker's onEvent is told what history says, in its order, each event once", async () => {
  const rig = await rigWith(tell);
  const run = await rig.client.start('busy', 'what?');
  await run.result();
  const recorded = await eventsOf(run);
  expect(told.map(({ event }) => event.type)).toEqual(recorded.map(({ type }) => type));
  expect(recorded.map(({ type }) => type)).toEqual([
    'run_started',
    'model_started',
    'model_ended',
    'action',
    'tool_started',
    'step',
    'model_started',
    'model_ended',
    'action',
    'tool_started',
    'step',
    'model_started',
    'model_ended',
    'action',
    'tool_started',
    'step',
    'model_started',
    'model_ended',
    'finish',
    'run_ended',
  ]);
  expect(new Set(told.map(({ id }) => id))).toEqual(new Set([run.id]));
  expect(timeless(told.map(({ event }) => event))).toEqual(timeless(recorded));
});

test('a wait, its decision and a forced end are told too', async () => {
  const rig = await rigWith(tell);
  const run = await rig.client.start('stopped', 'what?');
  await waitOf(run);
  await run.decide('1.1', { type: 'resolve', output: 'mended' });
  await run.result();
  expect(told.map(({ event }) => event.type).slice(3)).toEqual([
    'action',
    'tool_started',
    'tool_failed',
    'waiting',
    'decided',
    'step',
    'finish',
    'run_ended',
  ]);
  expect(told.at(-2)?.event).toMatchObject({ type: 'finish', log: '' });
  expect(told.at(-1)?.event).toMatchObject({ status: 'stopped', stopReason: 'max_iterations' });
});

test('a failed run ends with its error', async () => {
  const rig = await rigWith(tell);
  await expect(rig.client.run('failing', 'what?')).rejects.toMatchObject({ type: 'OutputParserError' });
  expect(told.at(-1)?.event).toMatchObject({
    type: 'run_ended',
    status: 'failed',
    error: { type: 'OutputParserError' },
  });
});

test('a listener that throws harms nothing', async () => {
  const rig = await rigWith(() => {
    throw new Error('the log is full');
  });
  tries = 1;
  expect(await rig.client.run('busy', 'what?')).toMatchObject({ output: 'done' });
});

/** What differs by nature: clocks, where it was read, and attempts that only history knows. */
function timeless(events: RunEvent[]): unknown[] {
  return events.map((event) => ({
    ...event,
    at: 0,
    eventId: undefined,
    ...('durationMs' in event ? { durationMs: 0 } : {}),
    ...(event.type === 'step' ? { step: { ...event.step, durationMs: 0 } } : {}),
  }));
}
