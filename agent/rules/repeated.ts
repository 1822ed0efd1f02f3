import type { PlannedAction } from '../calls/calls.ts';
import { type DoneCall, inputDigest } from '../calls/restart.ts';
import { canonicalJson } from '../values/json-object.ts';
import type { ErrorInfo, Json } from '../values/vocabulary.ts';

/** Finds a call of a dropped step that had the same effect, or was written the same; undefined: there was none. */
export function earlierCall(
  done: readonly DoneCall[],
  action: Pick<PlannedAction, 'tool' | 'toolInput' | 'effect'>,
  input: Json,
): DoneCall | undefined {
  if (done.length === 0) return undefined;
  const asked = effectOf(action, input);
  const isSame = (call: DoneCall) => call.input === asked.input || call.written === asked.written;
  return done.findLast((call) => call.tool === action.tool && isSame(call));
}

/** Returns what is remembered of a call's input. */
export function effectOf(
  action: Pick<PlannedAction, 'toolInput' | 'effect'>,
  input: Json,
): { input: string; written: string } {
  return { input: effectDigest(action, input), written: inputDigest(input) };
}

/**
 * Digest by which two effects are compared. The model's input has a recorded digest, of the input that the tool's schema
 * parsed. A person's input is digested as it is.
 */
export function effectDigest(
  { toolInput, effect }: Pick<PlannedAction, 'toolInput' | 'effect'>,
  input: Json,
): string {
  const isModels = effect !== undefined && canonicalJson(toolInput) === canonicalJson(input);
  return isModels ? effect : inputDigest(input);
}

/** Error that explains the wait `repeated` to the person who decides. */
export function repeatedError({ call, tool, output }: DoneCall): ErrorInfo {
  const outcome =
    output === undefined ? '; it is not known whether the call took effect' : ` and returned: ${output}`;
  return { type: 'Repeated', message: `Call ${call} of ${tool} had the same input${outcome}` };
}
