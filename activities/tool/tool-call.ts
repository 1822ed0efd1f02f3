import { Context } from '@temporalio/activity';
import { type Payload, defaultPayloadConverter } from '@temporalio/common';
import { type RecordedMeta, readMeta } from '../../agent/calls/call-meta.ts';
import type { ToolCallMeta, ToolResult } from '../../agent/calls/calls.ts';
import { capOutput } from '../../agent/observation/output.ts';
import { limits } from '../../agent/values/limits.ts';
import { fieldOf } from '../../agent/values/values.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { AskedInput, type Tool, type ToolContext } from '../../adapters/tools/tool.ts';

/** Runs the tool's code on a call. An error that is meant for the model becomes a result; any other is thrown. */
export async function runTool(
  tool: Tool,
  input: Json,
  context: ToolContext,
  maxChars: number,
): Promise<ToolResult> {
  const capped = (output: unknown) => capOutput(output, maxChars, limits.resultBytes);
  try {
    const parsed = tool.parseInput(input);
    // The config's types tie input to run; a list of tools cannot.
    const output: unknown = await tool.run(parsed as never, context);
    if (output instanceof AskedInput)
      return { output: capped(output.question), kind: 'asks', asks: output.asks };
    return { output: capped(output) };
  } catch (error) {
    const name = fieldOf(error, 'name');
    if (name === 'ToolInputError') return { output: capped(fieldOf(error, 'message')), kind: 'invalid' };
    if (name === 'ToolError') return { output: capped(fieldOf(error, 'message')), kind: 'error' };
    throw error;
  }
}

/** The metadata of each tool call, decoded from the header `reloop` that the workflow attaches (workflows/temporal/call-header.ts). */
const metaByContext = new WeakMap<Context, ToolCallMeta>();

/** Called by the worker's activity interceptor before the activity runs. */
export function rememberToolMeta(
  context: Context,
  headers: { [name: string]: Payload },
  args: readonly unknown[],
): void {
  const header = headers['reloop'];
  if (header === undefined) return;
  const recorded = defaultPayloadConverter.fromPayload<RecordedMeta>(header);
  const { checkpointFollows, ...meta } = readMeta(recorded);
  // The workflow has sent it as an argument (workflows/temporal/encrypted-contents.ts).
  const checkpoint = checkpointFollows === true ? (args[1] as Json) : meta.checkpoint;
  metaByContext.set(context, { ...meta, checkpoint });
}

/** undefined for an activity that no Reloop workflow scheduled. */
export function toolMeta(): ToolCallMeta | undefined {
  return metaByContext.get(Context.current());
}
