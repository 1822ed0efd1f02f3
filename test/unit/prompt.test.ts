import { defaultPayloadConverter } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import type { CallModelInput } from '../../agent/calls/calls.ts';
import { START, type Entry, type Mark, advance } from '../../agent/transcript/entries.ts';
import type { HistoryEvent } from '../../history/read/pages.ts';
import { readRequests } from '../../history/views/requests.ts';
import type { AgentRunInput } from '../../workflows/messages.ts';
import { promptOf } from '../support/scripts.ts';
import { sampleManifest } from '../support/manifest.ts';
import { historyClient } from '../support/history-client.ts';
import { allOf } from '../support/all-of.ts';

const manifest = sampleManifest();
const agent: Entry = { type: 'agent', manifest };
const question: Entry = { type: 'question', input: 'why?', chatHistory: [] };

function step(call: string, observation: string): Entry {
  const log = ` thought ${call}`;
  return { type: 'step', call, action: { tool: 'Search', toolInput: 'x', log }, observation };
}

function started(runId: string, input: AgentRunInput): HistoryEvent {
  return {
    workflowExecutionStartedEventAttributes: {
      originalExecutionRunId: runId,
      firstExecutionRunId: 'first',
      continuedExecutionRunId: input.from?.runId ?? null,
      input: payloads(input),
    },
  };
}

function asks(activityId: string, before: Mark, delta: Entry[]): HistoryEvent {
  const input: CallModelInput = { scope: 0, base: before.length, prev: before.digest, delta };
  return {
    activityTaskScheduledEventAttributes: {
      activityId,
      activityType: { name: 'callModel' },
      input: payloads(input),
    },
  };
}

function payloads(value: unknown) {
  return { payloads: [defaultPayloadConverter.toPayload(value)] };
}

/** A client that knows these runs and nothing else. */
function clientOf(runs: { [runId: string]: HistoryEvent[] }): Client {
  const workflowService = {
    async getWorkflowExecutionHistory({ execution }: { execution: { runId: string } }) {
      const events = runs[execution.runId];
      if (events !== undefined) return { history: { events } };
      // As grpc-js makes them; the client tells them by shape.
      throw Object.assign(new Error('not found'), { code: 5, details: 'not found', metadata: {} });
    },
  };
  return historyClient(workflowService);
}

async function prompts(client: Client, runId: string): Promise<string[]> {
  const requests = await allOf(readRequests(client, { workflowId: 'w', runId }, { follow: false }));
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
  test('put together what each call carried', async () => {
    const first = [
      started('first', { agent: 'assistant' }),
      asks('1', START, beginning),
      asks('2', afterBeginning, [one]),
    ];
    expect(await prompts(clientOf({ first }), 'first')).toEqual([
      '1~0: Question: why?\nThought:',
      '2~0: Question: why?\nThought: thought 1.1\nObservation: eins\nThought:',
    ]);
  });

  test('count what a call carries once, however often it was scheduled', async () => {
    const first = [
      started('first', { agent: 'assistant' }),
      asks('1', START, beginning),
      asks('2', afterBeginning, [one]),
      asks('2~1', afterBeginning, [one]),
      asks('3', afterOne, [two]),
    ];
    const all = await prompts(clientOf({ first }), 'first');
    expect(all[2]).toBe(all[1]?.replace('2~0', '2~1'));
    expect(all[3]).toContain('eins\nThought: thought 2.1\nObservation: zwei\nThought:');
  });

  const goesOn = (entries?: Entry[]) =>
    started('second', {
      agent: 'assistant',
      manifest,
      from: { runId: 'first', ...afterOne, ...(entries === undefined ? {} : { entries }) },
    });
  const asksOn = asks('3', afterOne, [two]);

  test('go on over continue-as-new', async () => {
    const continued = { workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: 'second' } };
    const first = [
      started('first', { agent: 'assistant' }),
      asks('1', START, beginning),
      asks('2', afterBeginning, [one]),
      continued,
    ];
    const all = await prompts(clientOf({ first, second: [goesOn(), asksOn] }), 'second');
    expect(all).toHaveLength(3);
    expect(all[2]).toContain('eins\nThought: thought 2.1\nObservation: zwei');
  });

  test('begin with what was carried along where the first run is gone', async () => {
    expect(await prompts(clientOf({ second: [goesOn([question, one]), asksOn] }), 'second')).toEqual([
      '3~0: Question: why?\nThought: thought 1.1\nObservation: eins\nThought: thought 2.1\nObservation: zwei\nThought:',
    ]);
  });

  test('are refused where the beginning is gone and was not carried along', async () => {
    await expect(prompts(clientOf({ second: [goesOn(), asksOn] }), 'second')).rejects.toMatchObject({
      name: 'InvalidInput',
    });
  });

  test('are refused for a kind that is not known here', async () => {
    const strange: Entry = { type: 'agent', manifest: sampleManifest({ kind: 'home-made' }) };
    const first = [started('first', { agent: 'assistant' }), asks('1', START, [strange, question])];
    await expect(prompts(clientOf({ first }), 'first')).rejects.toMatchObject({ name: 'InvalidInput' });
  });
});
