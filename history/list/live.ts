import { fieldsOf } from '../../agent/values/json-object.ts';
import type { Client } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import { parseActivityId } from '../../agent/calls/calls.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { plainJson } from '../../agent/values/values.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import type { RunRef } from '../read/pages.ts';
import { decodeFirst, recordedError } from '../read/payloads.ts';

type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

/**
 * What calls under way show of themselves: text being written, progress, failed attempts. It is not in history; the
 * server knows it of pending activities only. Each poll returns what is new since the last, of the calls that are `asked`.
 */
export function createLivePoll(
  client: Client,
  run: () => RunRef,
  asked: (call: string) => boolean = () => true,
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
    if (!asked(call)) return [];
    const attempt = activity.attempt ?? 1;
    const record = isOfThisAttempt(activity) ? activity.heartbeatDetails : undefined;
    const { text, reasoning, progress } = fieldsOf(await decodeFirst(client, record));
    const events: RunEvent[] = [];
    if (activity.lastFailure && attempt > 1 && isNew(`${call} failure`, `${id.n} ${attempt}`)) {
      const error = await recordedError(client, activity.lastFailure)();
      const retryInMs = untilNextAttempt(activity, at);
      events.push({ at, type: 'attempt_failed', call, attempt: attempt - 1, error, retryInMs });
    }
    const thought = textOf(reasoning);
    if (thought && isNew(`${call} reasoning`, `${attempt} ${thought}`)) {
      events.push({ at, type: 'model_reasoning', call, attempt, text: thought });
    }
    const written = textOf(text);
    if (written && isNew(`${call} text`, `${attempt} ${written}`)) {
      events.push({ at, type: 'model_text', call, attempt, text: written });
    }
    const said = textOf(progress);
    if (said && isNew(`${call} progress`, `${attempt} ${said}`)) {
      events.push({ at, type: 'tool_progress', call, attempt, text: said });
    }
    return events;
  }
}

/** Between attempts, and until the next one has sent a heartbeat, the server keeps the last one's. */
function isOfThisAttempt({
  attempt,
  lastStartedTime: started,
  lastHeartbeatTime: beat,
}: PendingActivity): boolean {
  return (attempt ?? 1) <= 1 || (started && beat ? tsToMs(beat) >= tsToMs(started) : false);
}

/** A tool may say anything of itself, and another worker's activity anything at all. */
function textOf(value: unknown): string {
  return value === undefined || value === null ? '' : asText(plainJson(value));
}

/** Undefined while an attempt runs. */
function untilNextAttempt(
  { nextAttemptScheduleTime: next }: PendingActivity,
  now: number,
): number | undefined {
  return next ? Math.max(0, tsToMs(next) - now) : undefined;
}
