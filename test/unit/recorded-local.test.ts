import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { type RunEvent, isRecorded } from '../../agent/run/events.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import { readTimeline } from '../../history/views/timeline.ts';
import { historyClient } from '../support/history-client.ts';
import { allOf } from '../support/all-of.ts';

const { History } = temporal.api.history.v1;

/** Runs whose inline tools were called with the model call. */
async function eventsOf(name: string): Promise<RunEvent[]> {
  const path = `../fixtures/histories/0.3.0/${name}.json`;
  const text = readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
  // As it comes from the server, with its numbers of 64 bits.
  const history = History.decode(History.encode(historyFromJSON(JSON.parse(text))).finish());
  const client = historyClient({ getWorkflowExecutionHistory: async () => ({ history }) });
  const run = { workflowId: name, runId: name };
  return (await allOf(readTimeline(client, run, { follow: false }))).flatMap(({ events }) => events);
}

const essence = (events: RunEvent[]) =>
  events.flatMap((event) => {
    if (event.type === 'tool_started') return [`${event.call} ${asText(event.toolInput)} begins`];
    if (event.type === 'step') return [`${event.step.call} ${asText(event.step.observation).trimEnd()}`];
    return [];
  });

test('a call that was made with the model call is reported as any other', async () => {
  const events = await eventsOf('inline');
  expect(essence(events)).toEqual([
    '1.1 long begins',
    '1.1 quick long',
    '2.1 bad begins',
    '2.1 The tool quick failed: not good',
    '3.1 more begins',
    '3.1 quick more',
  ]);
  expect(events.every(isRecorded)).toBe(true);
});

test('also beside one that is an activity', async () => {
  const told = essence(await eventsOf('inline-mixed'));
  expect(told.filter((line) => line.endsWith(' begins'))).toHaveLength(6);
  expect(told.toSorted()).toEqual(
    expect.arrayContaining(['1.1 quick a', '1.2 echo a', '1.3 quick long', '1.4 echo long']),
  );
});
