import { setTimeout as sleep } from 'node:timers/promises';
import { isOpen } from '../history/open.ts';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { DoneCall, EffectsQuestion } from '../agent/restart.ts';
import { readEffects, readLatestEffects } from '../history/effects.ts';
import { beating } from './beating.ts';

const POLL_MS = 200;

/** The effects of steps that are dropped, read from the run that made them. */
export async function earlierEffects({ run, step, again }: EffectsQuestion): Promise<DoneCall[]> {
  const { client, info } = Context.current();
  const workflowId = run.workflowId ?? info.workflowExecution?.workflowId ?? '';
  const { runId } = run;
  return beating(() =>
    runId === undefined
      ? readLatestEffects(client, workflowId, settled)
      : readEffects(
          client,
          { workflowId, runId },
          { step, again },
          run.workflowId === undefined ? settled : leftAlone,
        ),
  );
}

/** A fork leaves the other run alone, and what that does from there on is its own. */
function leftAlone(): Promise<void> {
  return Promise.resolve();
}

/**
 * A sub-agent whose parent is gone was asked to end, or nobody asks it: one that was taken back itself is no child any more. Either
 * way it may be about to make a call. Only when it has heard that it is cancelled is everything recorded that it will ever do.
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
