import type { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { CallModelInput } from '../../../../agent/calls/calls.ts';
import { START, type Entry, type Mark, advance } from '../../../../agent/transcript/entries.ts';
import type { HistoryEvent } from '../../../../history/read/pages.ts';
import { readLineage } from '../../../../history/read/lineage.ts';
import { requestReader } from '../../../../history/views/requests.ts';
import { promptOf } from '../../../support/scripts.ts';
import { sampleManifest } from '../../../support/manifest.ts';
import { historyClient } from '../../../support/history-client.ts';
import { payloads } from '../../../support/history-events.ts';
import { allOf } from '../../../support/all-of.ts';
import type { AgentRunInput } from '../../../../agent/run/run-input.ts';

const manifest = sampleManifest();
const agent: Entry = { type: 'agent', manifest };
const question: Entry = { type: 'question', input: 'why?', chatHistory: [] };

function step(call: string, observation: string): Entry {
  const log = ` thought ${call}`;
  return { type: 'step', call, action: { tool: 'Search', toolInput: 'x', log }, observation };
}

function started(runId: string, given: AgentRunInput): HistoryEvent {
  const ids = { originalExecutionRunId: runId, firstExecutionRunId: 'first' };
  const continuedExecutionRunId = given.from?.runId ?? null;
  const input = payloads(given);
  return { workflowExecutionStartedEventAttributes: { ...ids, continuedExecutionRunId, input } };
}

function asks(activityId: string, before: Mark, delta: Entry[]): HistoryEvent {
  const input: CallModelInput = { scope: 0, base: before.length, prev: before.digest, delta };
  const activityType = { name: 'callModel' };
  return { activityTaskScheduledEventAttributes: { activityId, activityType, input: payloads(input) } };
}

/** A client that knows these runs and nothing else. */
function clientOf(runs: { [runId: string]: HistoryEvent[] }): Client {
  return historyClient({
    async getWorkflowExecutionHistory({ execution }: { execution: { runId: string } }) {
      const events = runs[execution.runId];
      if (events !== undefined) return { history: { events } };
      // As grpc-js makes them; the client tells them by shape.
      throw Object.assign(new Error('not found'), { code: 5, details: 'not found', metadata: {} });
    },
  });
}

async function prompts(client: Client, runId: string): Promise<string[]> {
  const facts = await allOf(readLineage(client, { workflowId: 'w', runId }, false));
  const requestsOf = requestReader(client);
  const requests = [];
  for (const fact of facts) requests.push(...(await requestsOf(fact)));
  return requests.map(({ call, n, request }) => {
    const said = promptOf(request);
    return `${call}~${n}: ${said.slice(said.indexOf('Question: why?'))}`;
  });
}

const one = step('1.1', 'eins');
const two = step('2.1', 'zwei');
const beginning = [agent, question];
const afterBeginning = advance(START, beginning);
const afterOne = advance(afterBeginning, [one]);

describe('requests rebuilt from history', () => {
  const beforeAll = [
    started('first', { agent: 'assistant' }),
    asks('1', START, beginning),
    asks('2', afterBeginning, [one]),
    asks('2~1', afterBeginning, [one]),
  ];
  const goesOn = (entries: { entries?: Entry[] } = {}) =>
    started('second', { agent: 'assistant', manifest, from: { runId: 'first', ...afterOne, ...entries } });
  const asksOn = asks('3', afterOne, [two]);
  const third =
    'Question: why?\nThought: thought 1.1\nObservation: eins\nThought: thought 2.1\nObservation: zwei\nThought:';

  test('put together what each call carried, once however often it was scheduled, over continue-as-new', async () => {
    const continued = { workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: 'second' } };
    const client = clientOf({ first: [...beforeAll, continued], second: [goesOn(), asksOn] });
    const second = 'Question: why?\nThought: thought 1.1\nObservation: eins\nThought:';
    expect(await prompts(client, 'second')).toEqual([
      '1~0: Question: why?\nThought:',
      `2~0: ${second}`,
      `2~1: ${second}`,
      `3~0: ${third}`,
    ]);
  });

  test('begin with what was carried along where the first run is gone', async () => {
    const client = clientOf({ second: [goesOn({ entries: [question, one] }), asksOn] });
    expect(await prompts(client, 'second')).toEqual([`3~0: ${third}`]);
  });

  test('are refused where the beginning is gone and was not carried along', async () => {
    const reading = prompts(clientOf({ second: [goesOn(), asksOn] }), 'second');
    await expect(reading).rejects.toMatchObject({ name: 'InvalidInput' });
  });

  test('are refused for a kind that is not known here', async () => {
    const strange: Entry = { type: 'agent', manifest: sampleManifest({ kind: 'home-made' }) };
    const first = [started('first', { agent: 'assistant' }), asks('1', START, [strange, question])];
    await expect(prompts(clientOf({ first }), 'first')).rejects.toMatchObject({ name: 'InvalidInput' });
  });
});
