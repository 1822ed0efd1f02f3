import { readState, writeState } from '../../client/connect/signed-state.ts';
import type { Caller } from '../http/caller.ts';
import { bad } from '../http/read-body.ts';

/**
 * The state that a client sends back when it repeats a call whose run waits for a person (`requestState` of MCP 2026-07-28): the id of the
 * run. With RELOOP_DEFER_KEY it is signed for the caller. With and without the key the caller needs the rights to the run, and the run has
 * to be of the same agent and question, so each gateway can take the repeated call.
 */
export function callState(caller: Caller, run: string): string {
  return writeState({ owner: ownerOf(caller), value: run });
}

/** The id of the run. Throws Refused for a state that this caller was not given. */
export function readCallState(caller: Caller, state: string): string {
  const run = readState(state, ownerOf(caller));
  if (run === undefined) throw bad('This requestState was not given to this caller.');
  return run;
}

function ownerOf({ tenant = '', name }: Caller): string {
  return JSON.stringify(['mcp call', tenant, name]);
}
