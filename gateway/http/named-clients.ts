import { LRUCache } from 'lru-cache';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { Caller } from './caller.ts';

/** Callers that are remembered. */
const MOST_CALLERS = 1000;

/** Returns the client in a caller's name. All streams of a caller share it: a client of Temporal is not small. */
export function createNamedClients(
  client: AgentClient,
): (caller: Pick<Caller, 'name' | 'credential'>) => AgentClient {
  const known = new LRUCache<string, AgentClient>({ max: MOST_CALLERS });
  return ({ name, credential }) => {
    const key = JSON.stringify([name, credential]);
    const named = known.get(key) ?? client.as(name, credential);
    known.set(key, named);
    return named;
  };
}
