import { ApplicationFailure } from '@temporalio/activity';
import type { ToolResult } from '../agent/calls.ts';
import { limits } from '../agent/limits.ts';
import { capOutput } from '../agent/output.ts';
import { fieldOf } from '../agent/values.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';

/** Asks a tool what became of a call of it that is in doubt. Throws what the tool throws: then nobody knows. */
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
