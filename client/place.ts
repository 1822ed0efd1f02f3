import type { Client } from '@temporalio/client';
import { sessionId } from '../agent/session/session.ts';
import { isNotFound } from '../history/pages.ts';
import { RunNotFound, SessionNotFound } from './errors.ts';

/** Where a run or a session is with Temporal, without reading its history. */
export interface Place {
  runId: string;
  taskQueue: string;
  /** It goes on: a worker of its queue has, or will have, something to do. */
  open: boolean;
}

/** Of the latest run of the id, or of one that is named. Throws RunNotFound. */
export async function placeOfRun(client: Client, id: string, runId?: string): Promise<Place> {
  const place = await placeOf(client, id, runId);
  if (place instanceof Error) throw new RunNotFound(id, { cause: place });
  return place;
}

/** Throws SessionNotFound, also for a session that has ended. */
export async function placeOfSession(client: Client, name: string): Promise<Place> {
  const place = await placeOf(client, sessionId(name));
  if (place instanceof Error) throw new SessionNotFound(name, { cause: place });
  if (!place.open) throw new SessionNotFound(name);
  return place;
}

/** The error where there is no such workflow; throws any other. */
async function placeOf(client: Client, workflowId: string, givenRunId?: string): Promise<Place | Error> {
  try {
    const { runId, status, taskQueue } = await client.workflow.getHandle(workflowId, givenRunId).describe();
    return { runId, taskQueue, open: status.name === 'RUNNING' || status.name === 'PAUSED' };
  } catch (error) {
    if (isNoWorkflow(error)) return error;
    throw error;
  }
}

/** Temporal's word that there is no workflow of that id, or that it is over. */
export function isNoWorkflow(error: unknown): error is Error {
  return error instanceof Error && (isNotFound(error) || error.name === 'WorkflowNotFoundError');
}
