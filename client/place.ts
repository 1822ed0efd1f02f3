import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { sessionId } from '../agent/session/session.ts';
import { isOpen } from '../history/open.ts';
import { isNoWorkflow } from '../history/pages.ts';
import { RunNotFound, SessionNotFound } from './errors.ts';

/** Where a run or a session is with Temporal, without reading its history. */
export interface Place {
  runId: string;
  taskQueue: string;
  /** It goes on: a worker of its queue has, or will have, something to do. */
  open: boolean;
  /** What tells the workflow task that no worker has taken yet from others; undefined: there is none. */
  untaken?: string | undefined;
}

/** Of the latest run of the id, or of one that is named. Throws RunNotFound. */
export async function placeOfRun(client: Client, id: string, runId?: string): Promise<Place> {
  return placeIn(await describeRun(client, id, runId));
}

/** What Temporal says of the latest run of the id, or of one that is named. Throws RunNotFound. */
export async function describeRun(
  client: Client,
  id: string,
  runId?: string,
): Promise<WorkflowExecutionDescription> {
  return orRunNotFound(id, client.workflow.getHandle(id, runId).describe());
}

/** Throws RunNotFound in place of Temporal's word that there is no such workflow. */
export async function orRunNotFound<T>(id: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw isNoWorkflow(error) ? new RunNotFound(id, { cause: error }) : error;
  }
}

/** Throws SessionNotFound, also for a session that has ended. */
export async function placeOfSession(client: Client, name: string): Promise<Place> {
  const description = await client.workflow
    .getHandle(sessionId(name))
    .describe()
    .catch((error: unknown) => {
      throw isNoWorkflow(error) ? new SessionNotFound(name, { cause: error }) : error;
    });
  const place = placeIn(description);
  if (!place.open) throw new SessionNotFound(name);
  return place;
}

/** Temporal's state of a workflow task that waits for a worker. */
const SCHEDULED = 1;

function placeIn({ runId, taskQueue, status, raw }: WorkflowExecutionDescription): Place {
  const { state, scheduledTime } = raw.pendingWorkflowTask ?? {};
  const untaken = Number(state) === SCHEDULED ? JSON.stringify(scheduledTime) : undefined;
  return { runId, taskQueue, open: isOpen(status.name), untaken };
}
