import type { Decision, ParsedAction } from '../kinds/kind.ts';

/** A kind or a parser of the user's own that returns what is no decision: trying again would not help. */
class InvalidDecision extends Error {
  override name = 'InvalidDecision';
  readonly retryable = false;
}

/** What a parser made of a reply, as it came: it may be a user's own, and in JavaScript. Throws InvalidDecision. */
export function checkDecision(decision: Decision): Decision {
  const problem = problemOf(decision);
  if (problem === undefined) return decision;
  throw new InvalidDecision(
    `The agent's parser returned no decision: ${problem}. It has to return { type: 'finish', output, log } or { type: 'act', actions: [{ tool, toolInput, log }] }.`,
  );
}

/** A kind's `parse` is typed, but nobody compiles a config. */
function problemOf(decision: { type?: unknown; output?: unknown; actions?: unknown } | undefined) {
  if (decision?.type === 'finish') return isJson(decision.output) ? undefined : 'its output is no JSON value';
  if (decision?.type !== 'act') return "its type is neither 'finish' nor 'act'";
  const { actions } = decision;
  if (!Array.isArray(actions) || actions.length === 0) return 'it has no actions';
  const fit = actions.every(
    (action: Partial<ParsedAction> | null) => typeof action?.tool === 'string' && isJson(action.toolInput),
  );
  return fit ? undefined : 'an action lacks its tool, or its toolInput is no JSON value';
}

/** undefined and functions are none, and would be lost on the way. */
function isJson(value: unknown): boolean {
  return JSON.stringify(value) !== undefined;
}
