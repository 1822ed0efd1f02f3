import type { Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { type Heartbeat, parseActivityId } from '../agent/calls.ts';
import type { RunEvent } from '../agent/events.ts';
import type { RunRef } from './pages.ts';
import { decodeFirst, recordedError } from './payloads.ts';

type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;

/**
 * What calls under way show of themselves: text being written, progress, failed attempts. It is not in history; the
 * server knows it of pending activities only. Each poll returns what is new since the last.
 */
export function createLivePoll(client: Client, run: () => RunRef): () => Promise<RunEvent[]> {
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
    const attempt = activity.attempt ?? 1;
    const heartbeat = (await decodeFirst(client, activity.heartbeatDetails)) as Heartbeat | undefined; // our own record
    const events: RunEvent[] = [];
    if (activity.lastFailure && attempt > 1 && isNew(`${call} failure`, `${id.n} ${attempt}`)) {
      const error = await recordedError(client, activity.lastFailure)();
      events.push({ at, type: 'attempt_failed', call, attempt: attempt - 1, error });
    }
    if (heartbeat?.text && isNew(`${call} text`, `${attempt} ${heartbeat.text}`)) {
      events.push({ at, type: 'model_text', call, attempt, text: heartbeat.text });
    }
    if (heartbeat?.progress && isNew(`${call} progress`, `${attempt} ${heartbeat.progress}`)) {
      events.push({ at, type: 'tool_progress', call, attempt, text: heartbeat.progress });
    }
    return events;
  }
}
