import { type DoneCall, inputDigest } from '../restart.ts';
import type { ErrorInfo, Json } from '../vocabulary.ts';

/** The call with the same effect that a step made which was dropped since; undefined where there was none. */
export function earlierCall(done: readonly DoneCall[], tool: string, input: Json): DoneCall | undefined {
  if (done.length === 0) return undefined;
  const digest = inputDigest(input);
  return done.findLast((call) => call.tool === tool && call.input === digest);
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
