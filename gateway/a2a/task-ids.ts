import { createHash } from 'node:crypto';
import type { Caller } from '../http/caller.ts';
import { ownPrefix, recordedName } from '../http/tenant.ts';

/**
 * A task is a run, and its context is a session. The id of a run that a message starts is the name of the session, a dot, and a digest of
 * the message's id: each instance knows the session of a task, also while the run waits for its turn.
 */
export interface NewTask {
  /** Id of the run. */
  id: string;
  session: string;
}

const DIGEST_CHARS = 16;
const NAMED = new RegExp(`^(.+)\\.[0-9a-f]{${DIGEST_CHARS}}$`, 'su');

/** The same caller and message give the same task. A message without a context starts one. */
export function newTask(
  caller: Caller,
  agent: string,
  { messageId, contextId }: { messageId: string; contextId: string },
): NewTask {
  const digest = createHash('sha256')
    .update(JSON.stringify([caller.tenant ?? '', caller.name, messageId]))
    .digest('hex')
    .slice(0, DIGEST_CHARS);
  const session = recordedName(caller, contextId === '' ? `${agent}-${digest}` : contextId);
  return { id: `${session}.${digest}`, session };
}

/** The session of a run that a message of A2A has started; undefined for other runs. */
export function sessionOf(run: string): string | undefined {
  return NAMED.exec(run)?.[1];
}

/** The id of a task's context, without the tenant. A run that was not started over A2A is a separate context. */
export function contextOf(caller: Caller, run: string): string {
  return (sessionOf(run) ?? run).slice(ownPrefix(caller).length);
}
