import type { Client } from '@temporalio/client';
import { type HistoryEvent, isNotFound, readRun } from './pages.ts';
import type { RunRef } from './transcript.ts';

/**
 * The events of a run from its very beginning, over every continue-as-new, whose earlier runs may be past the
 * namespace's retention: then from the first that is left.
 */
export async function* readLineage(
  client: Client,
  run: RunRef,
  follow: boolean,
): AsyncGenerator<HistoryEvent> {
  let current: RunRef | undefined = await firstRun(client, run);
  while (current !== undefined) {
    let next: string | undefined;
    for await (const event of readRun(client, current, { follow })) {
      next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? next;
      yield event;
    }
    current = next === undefined ? undefined : { workflowId: run.workflowId, runId: next };
  }
}

async function firstRun(client: Client, run: RunRef): Promise<RunRef> {
  const start = await startOf(client, run);
  const first = start?.firstExecutionRunId;
  if (!first || first === run.runId) return run;
  const firstRef = { ...run, runId: first };
  if (await exists(client, firstRef)) return firstRef;
  let earliest = run;
  for (let previous = start.continuedExecutionRunId; previous;) {
    const candidate = { ...run, runId: previous };
    if (!(await exists(client, candidate))) break;
    earliest = candidate;
    previous = (await startOf(client, candidate))?.continuedExecutionRunId;
  }
  return earliest;
}

async function startOf(client: Client, run: RunRef) {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: run,
    maximumPageSize: 1,
  });
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes;
}

async function exists(client: Client, run: RunRef): Promise<boolean> {
  try {
    return (await startOf(client, run)) !== undefined;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
