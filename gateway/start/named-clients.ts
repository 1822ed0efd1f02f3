import { LRUCache } from 'lru-cache';
import type { AgentClient } from '../../client/index.ts';
import { tellingClient, toldTo } from './withheld.ts';
import type { Caller } from '../http/caller.ts';

/** Callers that are remembered. */
const MOST_CALLERS = 1000;
/** A request is not held until a worker comes, which may take for ever. */
const WORKER_MS = 10_000;

/** Returns the client in a caller's name; its decisions and messages throw RunNotTaking where no worker takes them. Its runs show what the caller may see. All streams of a caller share it: a client of Temporal is not small. */
export function createNamedClients(
  client: AgentClient,
): (caller: Pick<Caller, 'name' | 'credential' | 'scopes' | 'may'>) => AgentClient {
  const known = new LRUCache<string, AgentClient>({ max: MOST_CALLERS });
  return ({ name, credential, ...rights }) => {
    const told = toldTo(rights);
    const key = JSON.stringify([name, credential, told]);
    const named =
      known.get(key) ?? tellingClient(client.as(name, credential, { takenWithinMs: WORKER_MS }), told);
    known.set(key, named);
    return named;
  };
}
