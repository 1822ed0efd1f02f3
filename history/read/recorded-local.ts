import type { Client } from '@temporalio/client';
import { type LocalCall, type ModelTurn, parseActivityId } from '../../agent/calls/calls.ts';
import type { FailedCall } from '../../agent/calls/failures.ts';
import { readModelTurn } from '../../agent/calls/model-turn.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import type { Fact } from './fact.ts';
import { type Failure, type Payloads, type Recorded, decodeFirst, recordedFailure } from './payloads.ts';

/** Name of the marker that sdk-core records at the end of a local activity. */
export const LOCAL_ACTIVITY = 'core_local_activity';

/** Record of a call without a separate activity: a local activity, or an inline call. */
export interface RecordedLocalCall extends LocalCall {
  name: string;
  end: { type: 'succeeded'; result: unknown } | { type: 'failed'; failed: FailedCall };
}

/** Returns undefined for a result without inline calls. */
export async function inlineCallsOf(result: Recorded): Promise<RecordedLocalCall[] | undefined> {
  const turn = readModelTurn(await result());
  const calls = turn === undefined ? [] : readInlineCalls(turn);
  return calls.length === 0 ? undefined : calls;
}

/** Expands inline calls into the facts that an activity would have recorded, so that readers need no special case. */
export function withCalls(fact: Fact, calls: RecordedLocalCall[]): Fact[] {
  const { id, at } = fact;
  const before = fact.type === 'marked' ? 0 : Math.max(...calls.map(({ ms = 0 }) => ms));
  const facts = calls.flatMap(({ id: workId, name, input, ms = 0, end }): Fact[] => {
    const work = { of: 'activity', id, key: `${id} ${workId}`, more: true } as const;
    const start = { ...work, at: at - ms } as const;
    return [
      { ...start, type: 'scheduled', workId, name, input: async () => input, local: true },
      { ...start, type: 'begun', attempt: 1 },
      end.type === 'succeeded'
        ? { ...work, at, type: 'succeeded', result: async () => end.result }
        : { ...work, at, type: 'failed', failure: async () => end.failed },
    ];
  });
  const { more: _, ...last } = facts.pop() ?? fact;
  return [{ ...fact, at: at - before, more: true }, ...facts, last];
}

/**
 * Reads the marker of a local activity. Its result or failure names the call. Returns undefined for a failure that an activity repeats,
 * and for local activities of other workflows.
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

/** Reads the inline calls in the result of a model call. Leaves out calls without an end: an activity repeats and records them. */
function readInlineCalls({ decision, made = [] }: ModelTurn): RecordedLocalCall[] {
  const actions = decision.type === 'act' ? decision.actions : [];
  // The list may be of another workflow's activity with the same name.
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
  return typeof id === 'string' ? (value as LocalCall) : undefined; // a record of our runner
}

/** Reads sdk-core's part of the marker. It is plain JSON, without the user's codec. */
function activityTypeOf(data: Payloads): string {
  const json = data?.payloads?.[0]?.data;
  const { activity_type: type } = fieldsOf(json ? JSON.parse(new TextDecoder().decode(json)) : {});
  return typeof type === 'string' ? type : '';
}
