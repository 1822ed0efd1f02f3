import type { ActivityInterceptorsFactory, NativeConnection } from '@temporalio/worker';
import { type AttemptJournal, type JournalScope, openJournal } from './attempt-journal.ts';
import { claimOrphans } from './claim-orphans.ts';
import { failOrphans } from './fail-orphans.ts';

/**
 * Speeds up recovery after a worker's death: keeps a journal of the attempts that this worker has started, and ends those
 * of dead workers of the same state folder. Returns an interceptor for all activities of the worker; none without such
 * a folder, or if the folder cannot be written. Then recovery takes as long as the server needs to miss the worker.
 *
 * The start does not wait until the dead workers' attempts are ended: the server hands their next attempts to any
 * worker that polls by then.
 */
export async function startRecovery(
  stateDir: string | undefined,
  scope: JournalScope,
  connection: NativeConnection | undefined,
): Promise<ActivityInterceptorsFactory[]> {
  if (stateDir === undefined || connection === undefined) return [];
  try {
    const journal = await openJournal(stateDir, scope);
    const lost = await claimOrphans(stateDir, scope);
    void failOrphans(connection, scope.namespace, lost);
    return [journalInterceptor(journal)];
  } catch {
    return [];
  }
}

function journalInterceptor(journal: AttemptJournal): ActivityInterceptorsFactory {
  return ({ info, client }) => ({
    inbound: {
      async execute(input, next) {
        const { workflowExecution, activityId, attempt, taskQueue } = info;
        // A local activity is lost with its workflow task, and comes back with it.
        if (info.isLocal || workflowExecution === undefined) return next(input);
        const { identity } = client.options;
        const begun = { ...workflowExecution, activityId, attempt, taskQueue, identity, at: Date.now() };
        const end = journal.begin(begun);
        try {
          return await next(input);
        } finally {
          end();
        }
      },
    },
  });
}
