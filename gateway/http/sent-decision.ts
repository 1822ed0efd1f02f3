import type { OperatorDecision, PossibleDecision } from '../../client/index.ts';

/** A decision as a caller has sent it, in the caller's name: a name in the data would be recorded in its place. The run checks the rest. */
export function sentDecision(sent: { readonly [field: string]: unknown }): OperatorDecision {
  const { by: _by, credential: _credential, ...decision } = sent;
  return decision as OperatorDecision; // the run checks it
}

/** The field of a decision that takes a person's text. undefined: the decision takes no text. */
export function wordsField({ takes }: PossibleDecision): 'output' | 'reason' | undefined {
  if (takes.output !== undefined) return 'output';
  return takes.reason === undefined ? undefined : 'reason';
}

/** A decision with a person's text, which may be empty. The run checks whether it needs a text. */
export function decisionInWords(possible: PossibleDecision, words: string): OperatorDecision {
  const field = wordsField(possible);
  const decision = { type: possible.type, ...(field !== undefined && words !== '' && { [field]: words }) };
  return decision as OperatorDecision; // a field that the decision takes
}
