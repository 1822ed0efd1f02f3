import type { Caller } from './caller.ts';
import { bad } from './read-body.ts';

/**
 * Runs and sessions of a tenant have names that start with the tenant and a dot, which no tenant's name has. So each instance knows
 * the owner without a request.
 */

type Of = Pick<Caller, 'tenant'>;

/** Start of the names of the caller's runs and sessions. */
export function ownPrefix({ tenant }: Of): string {
  return tenant === undefined ? '' : `${tenant}.`;
}

/** The name with its tenant; a name that has it stays as it is. Throws Refused for an empty name: all who leave it empty would share it. */
export function recordedName(caller: Of, name: string): string {
  const recorded = ownsName(caller, name) ? name : ownPrefix(caller) + name;
  if (recorded === ownPrefix(caller))
    throw bad('The id of a run or the name of a session is empty. Leave it out, or write one.');
  return recorded;
}

function ownsName(caller: Of, recorded: string): boolean {
  return recorded.startsWith(ownPrefix(caller));
}
