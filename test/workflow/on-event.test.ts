import { expect, test } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import { useRig } from '../support/rig.ts';
import { answer, script } from '../support/scripts.ts';

/** The listener of a worker; that it hears what history says, on each path, is in told-and-recorded.test.ts. */
const told: { event: RunEvent; id: string; runId: string }[] = [];
let fails = false;
const rig = useRig({
  agents: [
    { name: 'busy', model: script(answer('done')) },
    { name: 'failing', model: script('hm'), handleParsingErrors: false },
  ],
  onEvent(event, { id, runId }) {
    if (fails) throw new Error('the log is full');
    told.push({ event, id, runId });
  },
});

test('a listener hears of each event once, with the run that it is of', async () => {
  const run = await rig.client.start('busy', 'what?');
  await run.result();
  expect(told.map(({ event }) => event.type)).toEqual([
    'run_started',
    'model_started',
    'model_ended',
    'finish',
    'run_ended',
  ]);
  const { runId } = await run.describe();
  expect(new Set(told.map((one) => `${one.id} ${one.runId}`))).toEqual(new Set([`${run.id} ${runId}`]));
});

test('a listener hears why a run failed', async () => {
  await expect(rig.client.run('failing', 'what?')).rejects.toMatchObject({ type: 'OutputParserError' });
  expect(told.at(-1)?.event).toMatchObject({
    type: 'run_ended',
    status: 'failed',
    error: { type: 'OutputParserError' },
  });
});

test('a listener that throws harms nothing', async () => {
  fails = true;
  expect(await rig.client.run('busy', 'what?')).toMatchObject({ output: 'done' });
});
