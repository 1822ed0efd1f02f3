import { setTimeout as sleep } from 'node:timers/promises';
import { isOpen } from '../../history/list/listed.ts';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { DoneCall, EffectsQuestion } from '../../agent/calls/restart.ts';
import { readEffects, readLatestEffects } from '../../history/views/effects.ts';
import { withHeartbeat } from '../attempt/heartbeat.ts';

const POLL_MS = 200;

/** The effects of steps that are dropped, read from the run that made them. */
export async function earlierEffects({ run, step, again, lost }: EffectsQuestion): Promise<DoneCall[]> {
  const { client, info } = Context.current();
  const workflowId = run.workflowId ?? info.workflowExecution?.workflowId ?? '';
  const { runId } = run;
  // A fork leaves the other run alone, so that run's later effects do not count.
  const until = run.workflowId === undefined ? settled : () => Promise.resolve();
  return withHeartbeat(() =>
    runId === undefined
      ? readLatestEffects(client, workflowId, settled)
      : readEffects(client, { workflowId, runId }, { step, again, lost }, until),
  );
}

/**
 * A sub-agent whose parent is gone was asked to end, or is not asked at all: after its own rewind it is not a
 * child any more. Either way it may be about to make a call. Its record is complete only when it has received its
 * cancellation.
 */
async function settled(client: Client, workflowId: string): Promise<void> {
  const { cancellationSignal } = Context.current();
  const handle = client.workflow.getHandle(workflowId);
  for (let isAsked = false; ; await sleep(POLL_MS, undefined, { signal: cancellationSignal })) {
    const { status, raw } = await handle.describe();
    if (!isOpen(status.name)) return;
    const hasHeard = raw.workflowExtendedInfo?.cancelRequested === true && !raw.pendingWorkflowTask;
    if (hasHeard) return;
    if (!isAsked) await handle.cancel();
    isAsked = true;
  }
}
