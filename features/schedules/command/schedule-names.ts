import type { AgentClient } from '../../../client/api/agent-client.ts';
import type { Candidate } from '../../../cli/completion/candidates.ts';

/** Returns the names of schedules, for the completion of a command. */
export async function scheduleNames(client: AgentClient): Promise<Candidate[]> {
  const found = await client.schedules();
  return found.map(({ name, paused }) => ({ word: name, about: paused ? 'paused' : '' }));
}
