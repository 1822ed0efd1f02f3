import type { ParsedReply, ParsedAction } from '../definition/kind.ts';
import { limits } from '../values/limits.ts';
import { jsonBytes } from '../values/digest.ts';
import { plainJson, wellFormed } from '../values/values.ts';

/** A user's kind or parser returned a value that is not a decision: trying again would not help. */
class InvalidDecision extends Error {
  override name = 'InvalidDecision';
  readonly retryable = false;
}

/**
 * A parser's return value in the form that can be recorded: the parser may be the user's, written in JavaScript. Throws
 * InvalidDecision, or a TypeError for a value that cannot be JSON.
 */
export function checkDecision(decision: ParsedReply, text: string): ParsedReply {
  const problem = problemOf(decision);
  if (problem !== undefined) {
    throw new InvalidDecision(
      `The agent's parser returned no decision: ${problem}. It has to return { type: 'finish', output, log } or { type: 'act', actions: [{ tool, toolInput, log }] }.`,
    );
  }
  const checked = recordable(decision, text);
  const bytes = jsonBytes(checked);
  if (bytes <= MAX_BYTES) return checked;
  throw new InvalidDecision(
    `The agent's parser made ${bytes} bytes of a reply, and at most ${MAX_BYTES} can be recorded. Shorten its logs and inputs.`,
  );
}

/** Bound of a parsed reply: the next model call carries it again, beside the turn's observations. */
const MAX_BYTES = limits.resultBytes - limits.turnBytes;

/** A kind's `parse` is typed, but configs are not compiled. */
function problemOf(decision: { type?: unknown; output?: unknown; actions?: unknown } | undefined) {
  if (decision?.type === 'finish')
    return isJson(decision.output) ? undefined : 'its output is not a JSON value';
  if (decision?.type !== 'act') return "its type is neither 'finish' nor 'act'";
  const { actions } = decision;
  if (!Array.isArray(actions) || actions.length === 0) return 'it has no actions';
  const fit = actions.every(
    (action: Partial<ParsedAction> | null) => typeof action?.tool === 'string' && isJson(action.toolInput),
  );
  return fit ? undefined : 'an action lacks its tool, or its toolInput is not a JSON value';
}

/** False for undefined, functions and symbols, which JSON would drop. */
function isJson(value: unknown): boolean {
  return !['undefined', 'function', 'symbol'].includes(typeof value);
}

/** An action or answer without a log has the reply's text for one. */
function recordable(decision: ParsedReply, text: string): ParsedReply {
  if (decision.type === 'finish') {
    return { ...decision, output: plainJson(decision.output), log: logOf(decision, text) };
  }
  const actions = decision.actions.map((action) => ({
    ...action,
    tool: wellFormed(action.tool),
    toolInput: plainJson(action.toolInput),
    log: logOf(action, text),
  }));
  return { type: 'act', actions };
}

function logOf({ log }: { log?: unknown }, text: string): string {
  return typeof log === 'string' ? wellFormed(log) : text;
}
