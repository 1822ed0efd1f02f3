import type { ProtocolRequest } from '../http/protocol.ts';
import { type Reply, followReply, partsUntilBegun } from '../replies/follow-reply.ts';
import { progressText } from '../replies/progress-text.ts';
import type { StartedRun } from '../start/start-run.ts';
import type { TaskUpdate } from './a2a-types.ts';
import { submittedTask, submittedUpdate } from './task.ts';
import { contextOf, sessionOf } from './task-ids.ts';
import { createTaskUpdates } from './task-updates.ts';

/** `asking`: the updates end when the task asks a person. `next question`: not for what the task asks already. */
export type UpdatesEnd = 'asking' | 'next question';

/** The present state of a task, then its updates, up to the end of the task or until the task asks. */
export async function* taskStream(
  request: ProtocolRequest,
  { id, hasBegun, session }: StartedRun,
  { until, signal }: { until: UpdatesEnd; signal: AbortSignal },
): AsyncGenerator<TaskUpdate> {
  const context = contextOf(request.caller, id);
  if (!hasBegun) {
    yield { task: submittedTask(id, context) };
    const started = { id, hasBegun, session: session ?? sessionOf(id) };
    for await (const part of partsUntilBegun(request.client, started, signal)) {
      yield submittedUpdate(id, context, progressText(part));
    }
    if (signal.aborted) return;
  }
  const reply = await followReply(request, { id }, { until: 'end', signal });
  yield* updatesOf(reply, context, { until, hasTask: !hasBegun });
}

/** `hasTask`: the client has the task as submitted. */
export async function* updatesOf(
  { view, parts }: Pick<Reply, 'view' | 'parts'>,
  context: string,
  { until, hasTask }: { until: UpdatesEnd; hasTask: boolean },
): AsyncGenerator<TaskUpdate> {
  const updates = createTaskUpdates(view, context);
  let isPresent = false;
  let isKnown = until === 'next question' && !hasTask;
  for await (const { part } of parts) {
    const made = updates.next(part);
    if (isPresent) yield* made;
    else if (part.type === 'caught_up' || part.type === 'ended') {
      isPresent = true;
      yield* hasTask ? updates.afterSubmitted() : [{ task: updates.task() }];
    }
    if (!isPresent) continue;
    if (!updates.isAsking()) isKnown = false;
    else if (!isKnown) return;
  }
}
