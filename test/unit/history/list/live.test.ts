import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import { describe, expect, test } from 'vitest';
import { createLivePoll, reportedEvents } from '../../../../history/list/live.ts';
import { createFactReader } from '../../../../history/read/facts.ts';
import type { HistoryEvent } from '../../../../history/read/pages.ts';
import { historyClient } from '../../../support/history-client.ts';
import { payloads } from '../../../support/history-events.ts';
import { actionsUnderWay, createActionCount } from '../../../../history/views/billed-actions.ts';

describe('the progress of a call under way', () => {
  test.each([
    ['a text', 'half', 'half'],
    ['a number', 20, '20'],
    ['zero', 0, '0'],
    ['an object', { done: 1 }, '{"done":1}'],
  ])('is a text, whatever the tool gave: %s', async (_, progress, text) => {
    const events = await polled({ activityId: '2.1', attempt: 1, heartbeatDetails: payloads({ progress }) });
    expect(events).toMatchObject([{ type: 'tool_progress', call: '2.1', attempt: 1, text }]);
  });

  const others = [null, 'a cursor', [[1, 2]], { progress: null }, undefined];
  test.each(others)("is nothing where another worker's activity records %j", async (details) => {
    const heartbeatDetails = payloads(details) ?? {
      payloads: [defaultPayloadConverter.toPayload(undefined)],
    };
    expect(await polled({ activityId: '2.1', attempt: 1, heartbeatDetails })).toEqual([]);
  });

  test.each([
    ['waits for its turn', undefined, []],
    ['has begun and not been heard of', 2000, []],
    ['has been heard of', 500, [{ type: 'model_text', call: '2', attempt: 2, text: 'half' }]],
  ])('is nothing of the attempt before, while the next one %s', async (_, startedAt, told) => {
    const lastHeartbeatTime = msToTs(1000);
    const lastStartedTime = startedAt === undefined ? null : msToTs(startedAt);
    const heartbeatDetails = payloads({ text: 'half' });
    const activity = { activityId: '2', attempt: 2, heartbeatDetails, lastHeartbeatTime, lastStartedTime };
    expect(await polled(activity)).toMatchObject(told);
    expect(await polled(activity)).toHaveLength(told.length);
  });

  test('is what the model thinks, and then what it writes', async () => {
    const heartbeatDetails = payloads({ reasoning: 'hm', text: 'half' });
    expect(await polled({ activityId: '2', attempt: 1, heartbeatDetails })).toMatchObject([
      { type: 'model_reasoning', call: '2', attempt: 1, text: 'hm' },
      { type: 'model_text', call: '2', attempt: 1, text: 'half' },
    ]);
  });

  test('is a failed attempt, with the time until the next one while it is waited for', async () => {
    const lastFailure = { message: 'no', applicationFailureInfo: {} };
    const failed = { activityId: '2.1', attempt: 2, lastFailure };
    const event = { type: 'attempt_failed', call: '2.1', attempt: 1, error: { message: 'no' } };
    const waiting = { ...failed, nextAttemptScheduleTime: msToTs(Date.now() + 3_600_000) };
    const [waits] = await polled(waiting);
    expect(waits).toMatchObject(event);
    expect(waits).toHaveProperty('retryInMs', expect.closeTo(3_600_000, -6));
    const [late] = await polled({ ...failed, nextAttemptScheduleTime: msToTs(1000) });
    expect(late).toMatchObject({ retryInMs: 0 });
    expect(await polled(failed)).toMatchObject([{ ...event, retryInMs: undefined }]);
  });
});

/** What the first poll of a run with one pending activity says. */
function polled(activity: object) {
  const reports = createLivePoll(
    clientWith([activity]),
    () => run,
    () => 0,
  )();
  return reports.then((list) => list.flatMap(reportedEvents));
}

/** A client of a server on which these activities of a run are pending. */
function clientWith(pendingActivities: object[]) {
  return historyClient({ describeWorkflowExecution: async () => ({ pendingActivities }) });
}

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
  ["no heartbeats of another worker's tool", 2, [started, scheduled, done({ heartbeats: 'a lot' })]],
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
  const factOf = createFactReader(historyClient({}), run);
  const count = createActionCount();
  for (const event of events) {
    const fact = factOf(event);
    if (fact !== undefined) await count.next(fact);
  }
  expect(count.sum()).toBe(actions);
});

test('further attempts and heartbeats of calls under way are billed', async () => {
  const pendingActivities = [
    { attempt: 1 },
    { attempt: 3, heartbeatDetails: payloads({ heartbeats: 4 }) },
    { attempt: 1, heartbeatDetails: payloads('a cursor of somebody else') },
  ];
  expect(await actionsUnderWay(clientWith(pendingActivities), run)).toBe(6);
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
