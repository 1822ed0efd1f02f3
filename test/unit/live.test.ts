import { defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import type { Client } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { createLivePoll } from '../../history/live.ts';

describe('what a call under way shows of itself', () => {
  test.each([
    ['a text', 'half', 'half'],
    ['a number', 20, '20'],
    ['zero', 0, '0'],
    ['an object', { done: 1 }, '{"done":1}'],
  ])('is a text, whatever the tool gave: %s', async (_, progress, text) => {
    const events = await polled({ activityId: '2.1', attempt: 1, heartbeatDetails: payloads({ progress }) });
    expect(events).toMatchObject([{ type: 'tool_progress', call: '2.1', attempt: 1, text }]);
  });

  test.each([[null], ['a cursor'], [[1, 2]], [{ progress: null }], [undefined]])(
    "is nothing where another worker's activity records %j",
    async (details) => {
      expect(await polled({ activityId: '2.1', attempt: 1, heartbeatDetails: payloads(details) })).toEqual(
        [],
      );
    },
  );

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
    const failed = {
      activityId: '2.1',
      attempt: 2,
      lastFailure: { message: 'no', applicationFailureInfo: {} },
    };
    const event = { type: 'attempt_failed', call: '2.1', attempt: 1, error: { message: 'no' } };
    const waiting = { ...failed, nextAttemptScheduleTime: msToTs(Date.now() + 3_600_000) };
    const [waits] = await polled(waiting);
    expect(waits).toMatchObject(event);
    expect(waits).toHaveProperty('retryInMs', expect.closeTo(3_600_000, -6));
    expect(await polled({ ...failed, nextAttemptScheduleTime: msToTs(1000) })).toMatchObject([
      { retryInMs: 0 },
    ]);
    expect(await polled(failed)).toMatchObject([{ ...event, retryInMs: undefined }]);
  });
});

function payloads(value: unknown) {
  return { payloads: [defaultPayloadConverter.toPayload(value)] };
}

/** What the first poll of a run with one pending activity says. */
function polled(activity: object) {
  const workflowService = { describeWorkflowExecution: async () => ({ pendingActivities: [activity] }) };
  const loadedDataConverter = {
    payloadConverter: defaultPayloadConverter,
    failureConverter: defaultFailureConverter,
    payloadCodecs: [],
  };
  // Of a client, the poll needs no more.
  const client = {
    workflowService,
    options: { namespace: 'default', loadedDataConverter },
  } as unknown as Client;
  return createLivePoll(client, () => ({ workflowId: 'w', runId: 'run' }))();
}
