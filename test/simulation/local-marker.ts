import type { Failure, Payload, temporal } from './sdk.ts';
import type { Execution } from './execution.ts';

/** A local activity that is over. */
export interface LocalMarker {
  activityId: string;
  type: string;
  result: Payload | undefined;
  failure: Failure | undefined;
  at: number;
  userMetadata: temporal.api.sdk.v1.IUserMetadata | null | undefined;
}

/** Records the end of a local activity, as the SDK's core does. */
export function recordLocal(
  execution: Execution,
  { activityId, type, result, failure, at, userMetadata }: LocalMarker,
): void {
  const data = {
    seq: 0,
    attempt: 1,
    activity_id: activityId,
    activity_type: type,
    complete_time: { seconds: Math.floor(at / 1000), nanos: (at % 1000) * 1e6 },
    original_schedule_time: { seconds: Math.floor(at / 1000), nanos: 0 },
    backoff: null,
  };
  const json = (value: unknown) => ({
    payloads: [
      {
        metadata: { encoding: Buffer.from('json/plain') },
        data: Buffer.from(JSON.stringify(value)),
      },
    ],
  });
  execution.add(
    'EVENT_TYPE_MARKER_RECORDED',
    {
      markerRecordedEventAttributes: {
        markerName: 'core_local_activity',
        details: {
          data: json(data),
          ...(result === undefined ? {} : { result: { payloads: [result] } }),
        },
        ...(failure === undefined ? {} : { failure }),
      },
    },
    userMetadata,
  );
}
