import type { ActivityInterceptorsFactory, NativeConnection } from '@temporalio/worker';
import { type AttemptJournal, type JournalScope, openJournal } from './attempt-journal.ts';
import { takeDeadAttempts } from './dead-journals.ts';
import { failLostAttempts } from './fail-lost-attempts.ts';

/**
 * What brings a worker quickly back on its feet: it keeps a journal of the attempts that it has in hand, and ends those of dead
 * workers of the same state folder. Returns what is to be around all of its activities: nothing without such a folder, or
 * where it cannot be written, which costs no more than the time until the server sees that a worker is silent.
 *
 * Nobody waits for the dead workers' attempts to be ended: the next ones come from the server, to whoever polls by then.
 */
export async function startRecovery(
  stateDir: string | undefined,
  scope: JournalScope,
  connection: NativeConnection | undefined,
): Promise<ActivityInterceptorsFactory[]> {
  if (stateDir === undefined || connection === undefined) return [];
  try {
    const journal = await openJournal(stateDir, scope);
    const lost = await takeDeadAttempts(stateDir, scope);
    void failLostAttempts(connection, scope.namespace, lost);
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
