import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { LocalCall } from '../agent/calls.ts';
import { fieldsOf } from '../agent/json-object.ts';
import type { Fact } from './facts.ts';
import type { HistoryEvent } from './pages.ts';
import {
  type Payloads,
  type Recorded,
  type RecordedError,
  type RecordedFailure,
  decodeFirst,
  recordedFailure,
} from './payloads.ts';

/** What sdk-core calls the one event that it records of a local activity, at its end. */
const LOCAL_ACTIVITY = 'core_local_activity';

export function isLocalCall({ markerRecordedEventAttributes: marker }: HistoryEvent): boolean {
  return marker?.markerName === LOCAL_ACTIVITY;
}

/**
 * A call within a workflow task, as the facts that an activity would have left: readers need not know the one from the
 * other. Its result says whose it is, so it is decoded here. None for a failure that is not the call's end, because an
 * activity follows, and for local activities of other workflows.
 */
export async function localCallFacts(client: Pick<Client, 'options'>, event: HistoryEvent): Promise<Fact[]> {
  const { details, failure } = event.markerRecordedEventAttributes ?? {};
  const name = activityTypeOf(details?.['data']);
  const id = Number(event.eventId ?? 0);
  const at = event.eventTime ? tsToMs(event.eventTime) : 0;
  const key = `local-${id}`;
  const of = 'activity';
  const facts = ({ id: workId, input, ms = 0 }: LocalCall, end: LocalEnd): Fact[] => {
    const begun = { id, at: at - ms, more: true } as const;
    return [
      { ...begun, type: 'scheduled', of, key, workId, name, input: async () => input },
      { ...begun, type: 'begun', of, key, attempt: 1 },
      { ...end, id, at, of, key },
    ];
  };
  if (!failure) {
    const result = await decodeFirst(client, details?.['result']);
    const local = asLocalCall(fieldsOf(result)['local']);
    return local === undefined ? [] : facts(local, { type: 'succeeded', result: async () => result });
  }
  if (failure.applicationFailureInfo?.nonRetryable !== true) return [];
  const failed = await recordedFailure(client, failure)();
  if (failed.local === undefined) return [];
  const { error } = failed;
  return facts(failed.local, { type: 'failed', error: async () => error, failure: async () => failed });
}

type LocalEnd =
  | { type: 'succeeded'; result: Recorded }
  | { type: 'failed'; error: RecordedError; failure: RecordedFailure };

function asLocalCall(value: unknown): LocalCall | undefined {
  const { id } = fieldsOf(value);
  return typeof id === 'string' ? (value as LocalCall) : undefined; // our own record
}

/** The core's own record, which goes through nobody's codec. */
function activityTypeOf(data: Payloads): string {
  const json = data?.payloads?.[0]?.data;
  const { activity_type: type } = fieldsOf(json ? JSON.parse(new TextDecoder().decode(json)) : {});
  return typeof type === 'string' ? type : '';
}
