import { limits } from '../values/limits.ts';
import type { Json } from '../values/vocabulary.ts';
import { failedTool } from './observations.ts';
import { capOutput } from './output.ts';

/** Room for the other fields of the decision. */
const MOST_BYTES = limits.decisionBytes - 4_000;

/**
 * The `output` of the decision `resolve` for a call that a client has carried out. `error`: the tool failed, in words, which the model is
 * told. A longer result is cut, as those of all tools are: it has to fit into a decision. Throws for a value that JSON cannot have.
 */
export function clientResult(tool: string, result: { output: unknown } | { error: string }): Json {
  const output =
    'output' in result ? result.output : failedTool(tool, { type: 'ToolError', message: result.error });
  return capOutput(output, MOST_BYTES, MOST_BYTES);
}
