import { ApplicationFailure } from '@temporalio/activity';
import type { ToolResult } from '../../agent/calls/calls.ts';
import { limits } from '../../agent/values/limits.ts';
import { capOutput } from '../../agent/observation/output.ts';
import { fieldOf } from '../../agent/values/values.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Tool, ToolContext } from '../../adapters/tools/tool.ts';

/** Calls the tool's `cancel` about a call that has ended. A tool that has none any more leaves its work as it is. */
export async function cancelCall(tool: Tool, input: Json, context: ToolContext): Promise<ToolResult> {
  // The config's types tie input to cancel; a list of tools cannot.
  await tool.cancel?.(tool.parseInput(input) as never, context);
  return { output: null };
}

/** Calls the tool's `reconcile` about a call in doubt. Throws the tool's error: the outcome stays unknown. */
export async function reconcileCall(
  tool: Tool,
  input: Json,
  maxOutputChars: number,
  context: ToolContext,
): Promise<ToolResult> {
  const parsed = tool.parseInput(input);
  // The config's types tie input to reconcile; a list of tools cannot. In JavaScript it may return anything.
  const said: unknown = await tool.reconcile?.(parsed as never, context);
  const status = tool.reconcile === undefined ? 'unknown' : fieldOf(said, 'status');
  switch (status) {
    case 'done':
      return {
        output: capOutput(fieldOf(said, 'output'), maxOutputChars, limits.resultBytes),
        reconciled: status,
      };
    case 'notDone':
    case 'unknown':
      return { output: null, reconciled: status };
    default:
      throw ApplicationFailure.create({
        type: 'InvalidReconcile',
        message: `reconcile of ${tool.name} has to return { status: 'done', output }, { status: 'notDone' } or { status: 'unknown' }.`,
        nonRetryable: true,
      });
  }
}
