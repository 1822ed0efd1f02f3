import { type AgentRun, type AgentSession, RunNotFound, SessionNotFound } from '../../client/index.ts';
import { unless } from '../../client/connect/errors.ts';
import { senderName } from '../../agent/start/sender-name.ts';
import { type Caller, isAllowed } from '../http/caller.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import { ownPrefix, recordedName } from '../http/tenant.ts';

/**
 * Runs and sessions belong to the caller that started them: see `RunOwnership`. What belongs to others answers as if it were not there,
 * unless the caller may `all-runs`; what belongs to another tenant answers so always.
 */

type By = Pick<ProtocolRequest, 'client' | 'caller'>;

/** The name under which runs of the caller are recorded. */
export function ownerName({ name }: Pick<Caller, 'name'>): string | undefined {
  return senderName(name);
}

/** The owner whose runs and sessions the caller sees. undefined: of all owners. */
export function seenOwner(caller: Caller): string | undefined {
  return isAllowed(caller, 'all-runs') ? undefined : ownerName(caller);
}

/** A run that the caller may see; with `agent`, one of that agent. Throws RunNotFound for others, as for one that is not there. */
export async function ownRun({ client, caller }: By, id: string, agent?: string): Promise<AgentRun> {
  if (!id.startsWith(ownPrefix(caller))) throw new RunNotFound(id);
  const owner = seenOwner(caller);
  const run = client.get(id);
  if (owner === undefined && agent === undefined) return run;
  // The error of a workflow that is not a run says what that workflow is.
  const labels = await unless(RunNotFound, run.labels());
  const isOwn = labels !== undefined && (owner === undefined || labels.owner === owner);
  const isOfAgent = agent === undefined || labels?.agent === agent;
  if (!isOwn || !isOfAgent) throw new RunNotFound(id);
  return run;
}

/** A session that the caller may see; its name is without the tenant. Throws SessionNotFound for others, as for one that is not there. */
export async function ownSession({ client, caller }: By, name: string): Promise<AgentSession> {
  const recorded = recordedName(caller, name);
  const session = client.session(recorded);
  const owner = seenOwner(caller);
  if (owner === undefined) return session;
  if ((await session.labels()).owner !== owner) throw new SessionNotFound(recorded);
  return session;
}

/** Throws SessionNotFound for a session that belongs to another; a new session can be started. */
export async function checkSession({ client, caller }: By, name: string): Promise<void> {
  const owner = seenOwner(caller);
  if (owner === undefined) return;
  const recorded = recordedName(caller, name);
  const found = await unless(SessionNotFound, client.session(recorded).labels());
  if (found !== undefined && found.owner !== owner) throw new SessionNotFound(recorded);
}

/** True if the caller asked for the run, or the run belongs to the caller. */
export async function hasAsked({ client, caller }: By, id: string): Promise<boolean> {
  const name = ownerName(caller);
  const { owner, askedBy } = await client.get(id).labels();
  return name !== undefined && (owner === name || askedBy === name);
}
