import type { Client } from '@temporalio/client';
import type { RunEvent } from '../../agent/run/events.ts';
import { runsUpTo } from '../../history/read/lineage.ts';
import type { RunRef } from '../../history/read/pages.ts';
import { typedCommand } from '../connect/cli-name.ts';
import { type EventsOptions, followEvents } from '../read/follow-events.ts';
import type { ReadableRun } from '../read/run-location.ts';

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

/** The events of a run; the end of a run that a reset replaced names the run that continues. */
export async function* explainedEvents(
  client: Client,
  run: ReadableRun,
  options: EventsOptions,
): AsyncGenerator<RunEvent> {
  const { workflowId } = run;
  for await (const { event, runId } of followEvents(client, run, options, run.present))
    yield event.within === undefined ? await explainReset(client, { workflowId, runId }, event) : event;
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
