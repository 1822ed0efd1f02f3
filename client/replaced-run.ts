import type { Client } from '@temporalio/client';
import type { RunEvent } from '../agent/events.ts';
import { runsUpTo, successorOf } from '../history/lineage.ts';
import type { RunRef } from '../history/pages.ts';
import { reloop } from './typed-command.ts';

/** Type of the error that a run ends with which goes on as another one by Temporal's Reset. */
export const RESET = 'Reset';

/** A run that another one has taken the place of was terminated for it: its end says where it goes on. */
export async function orReplaced(client: Client, run: RunRef, event: RunEvent): Promise<RunEvent> {
  if (event.type !== 'run_ended' || event.error?.type !== 'Terminated') return event;
  const { workflowId: id, runId } = run;
  const { raw } = await client.workflow.getHandle(id, runId).describe();
  const resetRunId = raw.workflowExtendedInfo?.resetRunId;
  if (resetRunId) return { ...event, error: { type: RESET, message: wasReset(id, resetRunId) } };
  const next = await successorOf(client, run);
  return next ? { ...event, error: { type: 'Restarted', message: wasRestarted(id, next.runId) } } : event;
}

/** Over every continue-as-new. What is kept of a run that this one goes on from counts with that one. */
export async function historySize(client: Client, run: RunRef): Promise<{ events: number; bytes: number }> {
  let [events, bytes] = [0, 0];
  for (const { workflowId, runId } of await runsUpTo(client, run)) {
    const { historyLength, historySize: size } = await client.workflow
      .getHandle(workflowId, runId)
      .describe();
    events += historyLength;
    bytes += size ?? 0;
  }
  return { events, bytes };
}

function wasReset(id: string, runId: string): string {
  return `Temporal reset this run, and it goes on as run ${runId}: \`${reloop()} watch ${id}\` follows that one.`;
}

function wasRestarted(id: string, runId: string): string {
  return `A step of this run is done again, and it goes on as run ${runId}: \`${reloop()} watch ${id}\` follows that one.`;
}
