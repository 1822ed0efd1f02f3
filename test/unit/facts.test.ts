import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../agent/events.ts';
import type { Fact } from '../../history/fact.ts';
import { createFactReader } from '../../history/facts.ts';
import type { HistoryEvent } from '../../history/pages.ts';
import { createTrace } from '../../history/trace.ts';

/** Counts what is decoded. */
let decoded = 0;
const payloadConverter = {
  toPayload: (value: unknown) => defaultPayloadConverter.toPayload(value),
  fromPayload(payload: Parameters<typeof defaultPayloadConverter.fromPayload>[0]) {
    decoded++;
    return defaultPayloadConverter.fromPayload<unknown>(payload);
  },
};
const loadedDataConverter = {
  payloadConverter,
  failureConverter: defaultFailureConverter,
  payloadCodecs: [],
};
const client = { options: { loadedDataConverter } } as unknown as Parameters<typeof createFactReader>[0]; // reading needs no more

describe('a fact', () => {
  test('of a timer has the summary that the workflow gave it, decoded when it is asked for', async () => {
    decoded = 0;
    const [fact] = factsOf({
      eventId: numbered(7),
      timerStartedEventAttributes: { timerId: '3' },
      userMetadata: { summary: defaultPayloadConverter.toPayload('waiting: 1.1') },
    });
    expect(fact).toMatchObject({ id: 7, type: 'timer_started', timer: '3' });
    expect(decoded).toBe(0);
    expect(fact?.type === 'timer_started' && (await fact.summary())).toBe('waiting: 1.1');
    expect(decoded).toBe(1);
  });

  test('of an update that is done has the name and the input of its acceptance', async () => {
    const [accepted, completed] = factsOf(...update('skip', { reason: 'no' }, 'whatever'));
    expect(accepted).toMatchObject({ type: 'update_accepted', name: 'skip', updateId: 'u' });
    expect(completed).toMatchObject({ type: 'update_completed', name: 'skip', updateId: 'u' });
    expect(completed?.type === 'update_completed' && (await completed.input?.())).toEqual({ reason: 'no' });
  });

  test('of a failed workflow task is there for a reset alone', () => {
    const failed = { workflowTaskFailedEventAttributes: { baseRunId: '', newRunId: '' } };
    const reset = { workflowTaskFailedEventAttributes: { baseRunId: 'old', newRunId: 'new' } };
    expect(factsOf(failed, reset)).toMatchObject([{ type: 'reset', fromRunId: 'old', runId: 'new' }]);
  });
});

describe("a workflow that is not Reloop's", () => {
  test.each<[what: string, event: HistoryEvent, output: unknown]>([
    ['nothing', { workflowExecutionCompletedEventAttributes: {} }, null],
    ['a text', { workflowExecutionCompletedEventAttributes: { result: payloads('done') } }, 'done'],
    ['an object', { workflowExecutionCompletedEventAttributes: { result: payloads({ a: 1 }) } }, { a: 1 }],
  ])('is completed with what it returned: %s', async (_, event, output) => {
    const [ended] = await eventsOf(event);
    expect(ended).toMatchObject({ type: 'run_ended', status: 'completed', stopReason: null, output });
  });

  test.each<[what: string, events: HistoryEvent[]]>([
    ['an update that answers with nothing', update('rename', { to: 'x' }, undefined)],
    ['an update that answers in its own way', update('rename', null, { call: 1 })],
    [
      'an update that is called like a decision',
      update('retry', 'x', { call: '1.1', n: 0, decision: 'sing' }),
    ],
    [
      'a signal called like ours',
      [signal('childWaiting', undefined), signal('childWaiting', { caller: '1.1' })],
    ],
    ['a child workflow', child('another-workflow', 'x')],
    ['activities called like ours', activity('1', 'callModel', null, null)],
    ['activities without a result', [...activity('setup', 'resolveAgent', undefined, undefined)]],
  ])('says nothing of a run by %s', async (_, events) => {
    expect((await eventsOf(...events)).filter(({ type }) => type !== 'model_started')).toEqual([]);
  });
});

function factsOf(...events: HistoryEvent[]): Fact[] {
  const factOf = createFactReader(client, { workflowId: 'w', runId: 'run' });
  return events.flatMap((event) => factOf(event) ?? []);
}

async function eventsOf(...events: HistoryEvent[]): Promise<RunEvent[]> {
  const trace = createTrace('w');
  const all: RunEvent[] = [];
  for (const fact of factsOf(...events)) all.push(...(await trace.next(fact)));
  return all;
}

function payloads(value: unknown) {
  return value === undefined ? null : { payloads: [defaultPayloadConverter.toPayload(value)] };
}

function update(name: string, sent: unknown, answered: unknown): HistoryEvent[] {
  const eventId = numbered(5);
  const acceptedRequest = { meta: { updateId: 'u' }, input: { name, args: payloads(sent) } };
  const outcome = { success: payloads(answered) };
  return [
    { eventId, workflowExecutionUpdateAcceptedEventAttributes: { acceptedRequest } },
    {
      workflowExecutionUpdateCompletedEventAttributes: {
        acceptedEventId: eventId,
        meta: { updateId: 'u' },
        outcome,
      },
    },
  ];
}

function signal(signalName: string, sent: unknown): HistoryEvent {
  return { workflowExecutionSignaledEventAttributes: { signalName, input: payloads(sent) } };
}

function child(workflowId: string, result: unknown): HistoryEvent[] {
  const eventId = numbered(6);
  return [
    {
      eventId,
      startChildWorkflowExecutionInitiatedEventAttributes: { workflowId, workflowType: { name: 'other' } },
    },
    {
      childWorkflowExecutionCompletedEventAttributes: { initiatedEventId: eventId, result: payloads(result) },
    },
  ];
}

function activity(activityId: string, name: string, input: unknown, result: unknown): HistoryEvent[] {
  const eventId = numbered(6);
  return [
    {
      eventId,
      activityTaskScheduledEventAttributes: { activityId, activityType: { name }, input: payloads(input) },
    },
    { activityTaskCompletedEventAttributes: { scheduledEventId: eventId, result: payloads(result) } },
  ];
}

function numbered(id: number): NonNullable<HistoryEvent['eventId']> {
  return id as unknown as NonNullable<HistoryEvent['eventId']>; // as a text it reads the same as a Long
}
