import type { OperatorDecision } from '../../agent/rules/decisions.ts';

/** A decision as a caller has sent it, in the caller's name: a name in the data would be recorded in its place. The run checks the rest. */
export function sentDecision(sent: { readonly [field: string]: unknown }): OperatorDecision {
  const { by: _by, credential: _credential, ...decision } = sent;
  return decision as OperatorDecision; // the run checks it
}
