import type { Client } from '@temporalio/client';
import { livePollers } from '../connect/task-queue.ts';
import { type RunLocation, locationOfRun, locationOfSession } from '../read/run-location.ts';

/** Resolves with true if no worker takes what waits. Throws the errors of the client. */
export type WorkerLook = () => Promise<boolean>;

/**
 * Makes a function that finds whether a worker is missing: for a run, or for the session in which a question waits for its turn. Temporal
 * lists a worker for a minute after its end; a task that is still there at the second look shows it before.
 */
export function createWorkerLook(
  { temporal }: { readonly temporal: Client },
  { id, session }: { id: string; session?: string | undefined },
): WorkerLook {
  let seen: RunLocation['untaken'];
  return async () => {
    const { open, taskQueue, untaken } =
      session === undefined ? await locationOfRun(temporal, id) : await locationOfSession(temporal, session);
    if (!open) return false;
    const isAlone = (await livePollers(temporal, taskQueue)).length === 0;
    const isUntaken = untaken !== undefined && untaken === seen;
    seen = untaken;
    return isAlone || isUntaken;
  };
}
