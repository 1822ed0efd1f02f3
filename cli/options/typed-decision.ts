import { type DecisionName, type OperatorDecision, decisionOf } from '../../agent/rules/decisions.ts';
import { parseJson } from '../../agent/values/json-object.ts';
import type { Json } from '../../agent/values/vocabulary.ts';

/** Arguments and options typed beside the decision and its run. */
export interface DecisionWords {
  call?: string | undefined;
  input?: string | undefined;
  output?: string | undefined;
  reason?: string | undefined;
  remember?: 'tool' | 'input' | undefined;
}

export function typedDecision(
  type: DecisionName,
  { input, output, ...words }: Omit<DecisionWords, 'call'> & { token?: string | undefined },
): OperatorDecision {
  return decisionOf(type, {
    input: input === undefined ? undefined : jsonOrText(input),
    output: output === undefined ? undefined : jsonOrText(output),
    ...words,
  });
}

/** A tool with one plain string gets the text as it was typed; only an object or an array is meant as JSON. */
export function jsonOrText(text: string): Json {
  const value = parseJson(text) ?? text;
  return typeof value === 'object' ? value : text;
}
