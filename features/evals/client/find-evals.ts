import type { AgentClient } from '../../../client/api/agent-client.ts';
import { evalTag } from '../rules/case-keys.ts';

/** Runs that are looked at, at most, to find earlier results. */
const MOST_LOOKED_AT = 5_000;

/** Ids of the results that the server has of an eval, latest first. The server's list is some moments behind. */
export async function findEvals(client: AgentClient, name: string): Promise<string[]> {
  const tag = evalTag(name);
  const started = new Map<string, number>();
  for await (const { tags = [], startedAt } of client.list({ tags: [tag], limit: MOST_LOOKED_AT })) {
    const id = tags.find((one) => one !== tag);
    if (id !== undefined) started.set(id, Math.min(started.get(id) ?? Infinity, startedAt.getTime()));
  }
  return [...started].sort(([, a], [, b]) => b - a).map(([id]) => id);
}
