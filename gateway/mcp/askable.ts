import { needsPerson, type WaitingCall } from '../../client/index.ts';
import { mayUse } from '../http/caller.ts';
import { type Decider, mayApprove } from '../start/decide-as.ts';
import type { ClientAbilities } from './client-abilities.ts';

/** Says of a wait whether the caller may decide, and has a client that can ask its person. Throws RunNotFound. */
export async function askableBy(
  by: Decider,
  id: string,
  { asksPeople }: Pick<ClientAbilities, 'asksPeople'>,
): Promise<(wait: WaitingCall) => boolean> {
  if (!asksPeople || !mayUse(by.caller, 'POST /mcp decide_on_run')) return () => false;
  const approves = await mayApprove(by, id);
  return (wait) => needsPerson(wait) && (approves || wait.reason !== 'approval');
}
