import { defaultPayloadConverter } from '@temporalio/common';
import type { HistoryEvent } from '../../history/read/pages.ts';

/** Events of a history, as the server gives them. */

type EventId = NonNullable<HistoryEvent['eventId']>;

export function payloads(value: unknown) {
  return value === undefined ? null : { payloads: [defaultPayloadConverter.toPayload(value)] };
}

export function numbered(id: number): EventId {
  return id as unknown as EventId; // as a text it reads the same as a Long
}

/** An activity that was scheduled, as event `id`, and completed. */
export function activityEvents(
  id: number,
  activityId: string,
  name: string,
  { input, result }: { input: unknown; result: unknown },
): [HistoryEvent, HistoryEvent] {
  const [eventId, activityType] = [numbered(id), { name }];
  const scheduled = { activityId, activityType, input: payloads(input) };
  const completed = { scheduledEventId: eventId, result: payloads(result) };
  return [
    { eventId, activityTaskScheduledEventAttributes: scheduled },
    { eventId: numbered(id + 1), activityTaskCompletedEventAttributes: completed },
  ];
}

/** An update that was accepted, as event `id`, and completed. */
export function updateEvents(
  id: number,
  name: string,
  sent: unknown,
  answer: unknown,
  updateId?: string,
): [HistoryEvent, HistoryEvent] {
  const [eventId, meta] = [numbered(id), updateId === undefined ? null : { updateId }];
  const acceptedRequest = { meta, input: { name, args: payloads(sent) } };
  const outcome = { success: payloads(answer) };
  return [
    { eventId, workflowExecutionUpdateAcceptedEventAttributes: { acceptedRequest } },
    {
      eventId: numbered(id + 1),
      workflowExecutionUpdateCompletedEventAttributes: { acceptedEventId: eventId, meta, outcome },
    },
  ];
}
