import type { Client } from '@temporalio/client';
import type { RunEvent } from '../../agent/run/events.ts';
import { runsUpTo } from '../../history/read/lineage.ts';
import type { RunRef } from '../../history/read/pages.ts';
import { typedCommand } from '../connect/cli-name.ts';

/** Error type at the end of a run that Temporal's Reset replaced by another run. */
export const RESET = 'Reset';

/** If Temporal's Reset ended the run, the event gets an error that names the run that continues. Other events are unchanged. */
export async function explainReset(client: Client, run: RunRef, event: RunEvent): Promise<RunEvent> {
  if (event.type !== 'run_ended' || event.error?.type !== 'Terminated') return event;
  const { workflowId: id, runId } = run;
  const { raw } = await client.workflow.getHandle(id, runId).describe();
  const resetRunId = raw.workflowExtendedInfo?.resetRunId;
  return resetRunId ? { ...event, error: { type: RESET, message: wasReset(id, resetRunId) } } : event;
}

/** Number of history events and their bytes, over every continue-as-new. Steps kept of an earlier run are not counted. */
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
  return `Temporal reset this run, and it continues as run ${runId}: \`${typedCommand('watch', [id])}\` follows that run.`;
}
