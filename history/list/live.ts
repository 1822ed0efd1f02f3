import { fieldsOf } from '../../agent/values/json-object.ts';
import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import { parseActivityId } from '../../agent/calls/calls.ts';
import { MODEL_LIMIT } from '../../agent/model-limits/lease-request.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { plainJson } from '../../agent/values/values.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import type { RunRef } from '../read/pages.ts';
import { decodeFirst, recordedError } from '../read/payloads.ts';

type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

/**
 * Creates a poll for live events of calls under way: text being written, progress, failed attempts. Histories do not record them; the
 * server knows them for pending activities only. Each poll returns the events since the poll before, for calls that `wants` accepts.
 */
export function createLivePoll(
  client: Client,
  run: () => RunRef,
  wants: (call: string) => boolean = () => true,
): () => Promise<RunEvent[]> {
  const seen = new Map<string, string>();
  const isNew = (key: string, value: string) => {
    if (seen.get(key) === value) return false;
    seen.set(key, value);
    return true;
  };

  return async () => {
    const { pendingActivities } = await client.workflowService.describeWorkflowExecution({
      namespace: client.options.namespace,
      execution: run(),
    });
    const events = await Promise.all((pendingActivities ?? []).map(eventsOf));
    return events.flat();
  };

  async function eventsOf(activity: PendingActivity): Promise<RunEvent[]> {
    const id = parseActivityId(activity.activityId ?? '');
    if (id === undefined) return [];
    const at = Date.now();
    const call = id.scope === 0 ? id.call : `${id.scope}/${id.call}`;
    if (!wants(call)) return [];
    const attempt = activity.attempt ?? 1;
    const record = isOfThisAttempt(activity) ? activity.heartbeatDetails : undefined;
    const { text, reasoning, progress } = fieldsOf(await decodeFirst(client, record));
    const events: RunEvent[] = [];
    if (activity.lastFailure && attempt > 1 && isNew(`${call} failure`, `${id.n} ${attempt}`)) {
      const error = await recordedError(client, activity.lastFailure)();
      const retryInMs = untilNextAttempt(activity, at);
      const before = { at, call, attempt: attempt - 1 };
      // The call waits for its model's limits: nothing has failed. An attempt that waits reports so itself.
      const isWait = error.type === MODEL_LIMIT;
      if (!isWait) events.push({ type: 'attempt_failed', ...before, error, retryInMs });
      else if (retryInMs !== undefined)
        events.push({ type: 'tool_progress', ...before, text: error.message });
    }
    const thought = textOf(reasoning);
    if (thought && isNew(`${call} reasoning`, `${attempt} ${thought}`)) {
      events.push({ at, type: 'model_reasoning', call, attempt, text: thought });
    }
    const written = textOf(text);
    if (written && isNew(`${call} text`, `${attempt} ${written}`)) {
      events.push({ at, type: 'model_text', call, attempt, text: written });
    }
    const reported = textOf(progress);
    if (reported && isNew(`${call} progress`, `${attempt} ${reported}`)) {
      events.push({ at, type: 'tool_progress', call, attempt, text: reported });
    }
    return events;
  }
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

/** Text of any value: tools and activities of other workers may report values of any type. */
function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : asText(plainJson(value));
}

/** Milliseconds until the next attempt begins; undefined while an attempt is running. */
function untilNextAttempt(
  { nextAttemptScheduleTime: next }: PendingActivity,
  now: number,
): number | undefined {
  return next ? Math.max(0, tsToMs(next) - now) : undefined;
}
