import type { Client } from '@temporalio/client';
import { type LocalCall, type ModelTurn, parseActivityId } from '../../agent/calls/calls.ts';
import type { FailedCall } from '../../agent/calls/failures.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import { type Failure, type Payloads, decodeFirst, recordedFailure } from './payloads.ts';

/** What sdk-core calls the one event that it records of a local activity, at its end. */
export const LOCAL_ACTIVITY = 'core_local_activity';

/** What a worker recorded of a call that had no activity of its own. */
export interface RecordedLocalCall extends LocalCall {
  /** The activity's type. */
  name: string;
  end: { type: 'succeeded'; result: unknown } | { type: 'failed'; failed: FailedCall };
}

/**
 * Reads the marker of a local activity, whose result says which call it was. undefined for a failure that is not the
 * call's end, because an activity follows, and for local activities of other workflows.
 */
export async function readLocalCall(
  client: Pick<Client, 'options'>,
  details: { [name: string]: Payloads },
  failure: Failure,
): Promise<RecordedLocalCall | undefined> {
  const name = activityTypeOf(details['data']);
  if (!failure) {
    const result = await decodeFirst(client, details['result']);
    const local = asLocalCall(fieldsOf(result)['local']);
    return local && { ...local, name, end: { type: 'succeeded', result } };
  }
  if (failure.applicationFailureInfo?.nonRetryable !== true) return undefined;
  const failed = await recordedFailure(client, failure)();
  const local = asLocalCall(failed.local);
  return local && { ...local, name, end: { type: 'failed', failed } };
}

/**
 * The calls that were made with a model call, as its result says; not those that an activity follows on, which is their
 * first record.
 */
export function readMadeCalls({ decision, made = [] }: ModelTurn): RecordedLocalCall[] {
  const actions = decision.type === 'act' ? decision.actions : [];
  // Another workflow's activity may be called alike.
  return (Array.isArray(made) ? made : []).flatMap(({ id, ms, result, failed }): RecordedLocalCall[] => {
    const { call = '' } = parseActivityId(id) ?? {};
    const action = actions[Number(call.slice(call.indexOf('.') + 1)) - 1];
    if (action === undefined) return [];
    const local = { id, name: action.tool, input: action.toolInput, ms };
    if (result !== undefined) return [{ ...local, end: { type: 'succeeded', result } }];
    if (failed !== undefined)
      return [{ ...local, end: { type: 'failed', failed: { ...failed, checkpoint: undefined } } }];
    return [];
  });
}

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
