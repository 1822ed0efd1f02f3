import type { PlannedAction } from '../calls/calls.ts';
import { type DoneCall, inputDigest } from '../calls/restart.ts';
import { canonicalJson } from '../values/json-object.ts';
import type { ErrorInfo, Json } from '../values/vocabulary.ts';

/** The call with the same effect that a step made which was dropped since; undefined where there was none. */
export function earlierCall(
  done: readonly DoneCall[],
  action: Pick<PlannedAction, 'tool' | 'toolInput' | 'effect'>,
  input: Json,
): DoneCall | undefined {
  if (done.length === 0) return undefined;
  const digest = effectDigest(action, input);
  return done.findLast((call) => call.tool === action.tool && call.input === digest);
}

/** Tells effects apart: by the input as the tool reads it, which is recorded with the decision; a person's input as it is. */
export function effectDigest(
  { toolInput, effect }: Pick<PlannedAction, 'toolInput' | 'effect'>,
  input: Json,
): string {
  const isModels = effect !== undefined && canonicalJson(toolInput) === canonicalJson(input);
  return isModels ? effect : inputDigest(input);
}

/** What a person is told who is asked whether it may be made again. */
export function repeatedError({ call, tool, output }: DoneCall): ErrorInfo {
  const came =
    output === undefined ? 'and it is not known whether it took effect' : `and returned: ${output}`;
  return {
    type: 'Repeated',
    message: `Call ${call} of ${tool} was made with the same input in a step that was dropped, ${came}`,
  };
}
