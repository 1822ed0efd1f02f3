import { fieldsOf } from '../../agent/values/json-object.ts';
import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import { parseActivityId } from '../../agent/calls/calls.ts';
import { MODEL_LIMIT } from '../../agent/model-limits/lease-request.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { plainJson } from '../../agent/values/values.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import { type HeartbeatTexts, afterHeartbeat, newEvents } from '../../agent/live-text/attempt-texts.ts';
import { calledIn } from '../read/scheduled-call.ts';
import type { RunRef } from '../read/pages.ts';
import { decodeFirst, recordedError } from '../read/payloads.ts';

/** Type of the failure that the SDK's worker reports when an operator has paused the attempt's activity. */
const ACTIVITY_PAUSE = 'ActivityPause';

type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

/** The server's knowledge of a call under way. */
export interface CallReport {
  call: string;
  at: number;
  /** The attempt before has failed, or waits. Once for each attempt. */
  before: RunEvent | undefined;
  texts: HeartbeatTexts;
}

/**
 * Creates a poll for calls under way: text being written, progress, failed attempts. Histories do not record them; the
 * server knows them for pending activities only. Each poll returns the state of the calls that `scheduledAt` knows: when the schedule that
 * is under way was made.
 */
export function createLivePoll(
  client: Client,
  run: () => RunRef,
  scheduledAt: (call: string) => number | undefined,
): () => Promise<CallReport[]> {
  const reported = new Map<string, string>();
  return async () => {
    const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution: run(),
    });
    const reports = await Promise.all((pendingActivities ?? []).map(reportOf));
    return reports.filter((report) => report !== undefined);
  };

  async function reportOf(activity: PendingActivity): Promise<CallReport | undefined> {
    const id = parseActivityId(activity.activityId ?? '');
    if (id === undefined) return undefined;
    const call = calledIn(id.scope, id.call);
    const since = scheduledAt(call);
    if (since === undefined) return undefined;
    const at = Date.now();
    const attempt = activity.attempt ?? 1;
    const record = isOfThisAttempt(activity) ? activity.heartbeatDetails : undefined;
    const said = fieldsOf(await decodeFirst(client, record));
    return {
      call,
      at,
      before: await attemptBefore(activity, call, id.n, at),
      texts: {
        scheduledAt: since,
        attempt,
        restart: count(said['restart']) ?? 0,
        text: textOf(said['text']),
        reasoning: textOf(said['reasoning']),
        reasoningFrom: count(said['reasoningFrom']) ?? 0,
        progress: textOf(said['progress']),
        reports: count(said['reports']),
      },
    };
  }

  async function attemptBefore(
    activity: PendingActivity,
    call: string,
    n: number,
    at: number,
  ): Promise<RunEvent | undefined> {
    const attempt = activity.attempt ?? 1;
    if (!activity.lastFailure || attempt <= 1 || reported.get(call) === `${n} ${attempt}`) return undefined;
    reported.set(call, `${n} ${attempt}`);
    const error = await recordedError(client, activity.lastFailure)();
    // Temporal's own record of the pause: the attempt was asked to end, and nothing has failed.
    if (error.type === ACTIVITY_PAUSE) return undefined;
    const paused = activity.paused === true ? true : undefined;
    const retryInMs = untilNextAttempt(activity, at);
    const before = { at, call, attempt: attempt - 1 };
    // The call waits for its model's limits: nothing has failed. An attempt that waits reports so itself.
    if (error.type !== MODEL_LIMIT) return { type: 'attempt_failed', ...before, error, retryInMs, paused };
    return retryInMs === undefined ? undefined : { type: 'tool_progress', ...before, text: error.message };
  }
}

/** The events that a report has for a reader who knows nothing of the call. */
export function reportedEvents({ at, before, call, texts }: CallReport): RunEvent[] {
  const after = afterHeartbeat(undefined, texts);
  const events = after === undefined ? [] : newEvents(call, undefined, after);
  return [...(before === undefined ? [] : [before]), ...events.map((event) => ({ ...event, at }))];
}

/**
 * Returns true if the heartbeat details belong to the current attempt. The server keeps an attempt's details until the next attempt
 * sends a heartbeat.
 */
function isOfThisAttempt({
  attempt,
  lastStartedTime: started,
  lastHeartbeatTime: beat,
}: PendingActivity): boolean {
  return (attempt ?? 1) <= 1 || (started && beat ? tsToMs(beat) >= tsToMs(started) : false);
}

/** A number that our worker wrote; a custom activity's heartbeat may have any value there. */
function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

/** Text of any value: tools and activities of other workers may report values of any type. */
function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : asText(plainJson(value));
}

/** Milliseconds until the next attempt starts; undefined while an attempt is running. */
function untilNextAttempt(
  { nextAttemptScheduleTime: next }: PendingActivity,
  now: number,
): number | undefined {
  return next ? Math.max(0, tsToMs(next) - now) : undefined;
}
