import { createHash } from 'node:crypto';
import type { Context } from '@temporalio/activity';
import type { ToolCallMeta, ToolResult } from '../agent/calls.ts';
import { canonicalJson } from '../agent/json-object.ts';
import { limits } from '../agent/limits.ts';
import { capOutput } from '../agent/output.ts';
import { fieldOf } from '../agent/values.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import type { ToolScope } from './tool-scope.ts';

/** The tool's own code, and all that it leaves behind, runs in a scope that says whose it is. */
export function scopeOf({ name: tool }: Tool, { call }: ToolCallMeta, { info }: Context): ToolScope {
  return { tool, call, run: info.workflowExecution?.workflowId ?? '' };
}

export async function runTool(tool: Tool, input: Json, context: ToolContext): Promise<unknown> {
  const parsed = tool.parseInput(input);
  // The config's types tie input to run; a list of tools cannot.
  return tool.run(parsed as never, context);
}

/** Errors that are meant for the model are results, not failures. */
export async function tellModel(maxChars: number, run: () => Promise<unknown>): Promise<ToolResult> {
  const capped = (output: unknown) => capOutput(output, maxChars, limits.resultBytes);
  try {
    return { output: capped(await run()) };
  } catch (error) {
    const name = fieldOf(error, 'name');
    if (name === 'ToolInputError') return { output: capped(fieldOf(error, 'message')), kind: 'invalid' };
    if (name === 'ToolError') return { output: capped(fieldOf(error, 'message')), kind: 'error' };
    throw error;
  }
}

/** The same over retries, crashes and continue-as-new of one call; another as soon as the input differs. */
export function idempotencyKey({ root, scope, call }: ToolCallMeta, tool: string, input: Json): string {
  return createHash('sha256')
    .update(canonicalJson([root, scope, call, tool, input]))
    .digest('hex');
}
