import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { actionsUnderWay, createActionCount } from '../../history/billed-actions.ts';
import { createFactReader } from '../../history/facts.ts';
import type { HistoryEvent } from '../../history/pages.ts';

const loadedDataConverter = {
  payloadConverter: defaultPayloadConverter,
  failureConverter: defaultFailureConverter,
  payloadCodecs: [],
};
const run = { workflowId: 'w', runId: 'r' };
const started = { workflowExecutionStartedEventAttributes: {} };
const continued = { workflowExecutionStartedEventAttributes: { continuedExecutionRunId: 'before' } };
const scheduled = { activityTaskScheduledEventAttributes: { activityId: '1' } };

test.each<[what: string, actions: number, events: HistoryEvent[]]>([
  ['a start', 1, [started]],
  ['each continue-as-new, on top of what was before', 3, [started, scheduled, continued]],
  ['a rewind, from there', 1, [started, scheduled, started]],
  ['a Reset by Temporal, from there', 2, [started, scheduled, reset(), scheduled]],
  ['an activity', 2, [started, scheduled, begun(1), done({ output: 'x' })]],
  ['each attempt of it', 4, [started, scheduled, begun(3), done({ output: 'x' })]],
  ['the heartbeats of a call that was answered', 9, [started, scheduled, done({ heartbeats: 7 })]],
  ['the heartbeats of one that failed', 9, [started, scheduled, failed({ heartbeats: 7 })]],
  ['the heartbeats of one whose worker died', 9, [started, scheduled, timedOut({ heartbeats: 7 })]],
  ['the heartbeats of one that was cancelled', 9, [started, scheduled, cancelled({ heartbeats: 7 })]],
  [
    "no heartbeats that another worker's tool may mean",
    2,
    [started, scheduled, done({ heartbeats: 'a lot' })],
  ],
  ['a sub-agent, twice', 3, [started, { startChildWorkflowExecutionInitiatedEventAttributes: {} }]],
  ['a timer', 2, [started, { timerStartedEventAttributes: { timerId: '1' } }]],
  ['a signal', 2, [started, { workflowExecutionSignaledEventAttributes: {} }]],
  ['an update', 2, [started, { workflowExecutionUpdateAcceptedEventAttributes: {} }]],
  ['search attributes in the course of the run', 2, [started, upserted('ReloopStatus')]],
  ["not the attribute of the SDK's own", 1, [started, upserted('TemporalChangeVersion')]],
  ['all markers of a workflow task as one', 3, [started, marked(4), marked(4), marked(9)]],
  ['no marker of a patch', 1, [started, marked(4, 'core_patch')]],
  ['no workflow task', 1, [started, { workflowTaskCompletedEventAttributes: {} }]],
])('billed is %s', async (_, actions, events) => {
  const factOf = createFactReader({ options: { loadedDataConverter } } as unknown as Client, run); // reads no more
  const count = createActionCount();
  for (const event of events) {
    const fact = factOf(event);
    if (fact !== undefined) await count.next(fact);
  }
  expect(count.sum()).toBe(actions);
});

test('of calls under way, further attempts and heartbeats so far are billed', async () => {
  const pendingActivities = [
    { attempt: 1 },
    { attempt: 3, heartbeatDetails: payloads({ heartbeats: 4 }) },
    { attempt: 1, heartbeatDetails: payloads('a cursor of somebody else') },
  ];
  const client = {
    options: { loadedDataConverter, namespace: 'default' },
    workflowService: { describeWorkflowExecution: async () => ({ pendingActivities }) },
  } as unknown as Client; // needs no more
  expect(await actionsUnderWay(client, run)).toBe(6);
});

function begun(attempt: number): HistoryEvent {
  return { activityTaskStartedEventAttributes: { attempt } };
}

function done(result: unknown): HistoryEvent {
  return { activityTaskCompletedEventAttributes: { result: payloads(result) } };
}

function failed(details: unknown): HistoryEvent {
  const applicationFailureInfo = { type: 'Error', details: payloads(details) };
  return { activityTaskFailedEventAttributes: { failure: { message: 'no', applicationFailureInfo } } };
}

function timedOut(lastHeartbeat: unknown): HistoryEvent {
  const timeoutFailureInfo = { lastHeartbeatDetails: payloads(lastHeartbeat) };
  return { activityTaskTimedOutEventAttributes: { failure: { message: 'no', timeoutFailureInfo } } };
}

function cancelled(details: unknown): HistoryEvent {
  return { activityTaskCanceledEventAttributes: { details: payloads(details) } };
}

function upserted(name: string): HistoryEvent {
  const searchAttributes = { indexedFields: { [name]: defaultPayloadConverter.toPayload('x') ?? null } };
  return { upsertWorkflowSearchAttributesEventAttributes: { searchAttributes } };
}

function marked(task: number, markerName = 'core_local_activity'): HistoryEvent {
  const workflowTaskCompletedEventId = task as never; // a Long on the wire
  return { markerRecordedEventAttributes: { markerName, workflowTaskCompletedEventId } };
}

function reset(): HistoryEvent {
  return { workflowTaskFailedEventAttributes: { baseRunId: 'old', newRunId: 'new' } };
}

function payloads(value: unknown) {
  return { payloads: [defaultPayloadConverter.toPayload(value)] };
}
