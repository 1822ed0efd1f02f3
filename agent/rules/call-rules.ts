import type { PlannedAction, ToolResult } from '../calls/calls.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { CUT_CALL, cancelledTool, failedTool, unknownTool } from '../observation/observations.ts';
import { delegatedOutput, externalOutput } from '../observation/output.ts';
import { EXCEPTION_TOOL, asText, type ErrorInfo, type Json, type Usage } from '../values/vocabulary.ts';

/**
 * What becomes of a tool call: said once, for the loop that makes it so and for whoever reads it from history. Pure
 * functions of what is recorded.
 */

/** How a call ended, as the model is told it. */
export interface CallEnd {
  observation: Json;
  /** The observation is the tool's own word, not a sentence about what went wrong. */
  fromTool: boolean;
  /** The observation is recorded as the call's result: in our runner's record, or as it is (`raw`). */
  recorded?: 'runner' | 'raw' | undefined;
  usage?: Usage | undefined;
}

export type ResultEnd =
  | { type: 'end'; end: CallEnd }
  | { type: 'failed'; error: ErrorInfo }
  /** The tool has left the result to somebody outside. */
  | { type: 'deferred'; note: Json; token: string | undefined; usage: Usage | undefined };

/** The end of an action for which nothing has to be run; undefined for a call of a known tool. */
export function presetEnd(
  { tool, observation }: PlannedAction,
  tools: readonly ToolManifest[],
): { end: CallEnd; startedAs: string } | undefined {
  const known = tools.map(({ name }) => name);
  const isKnown = known.includes(tool);
  if (observation === undefined && isKnown) return undefined;
  return {
    end: { observation: observation ?? unknownTool(tool, known), fromTool: false },
    // As LangChain's callbacks say it.
    startedAs: isKnown || tool === EXCEPTION_TOOL ? tool : 'invalid_tool',
  };
}

/** What the result of an activity, or of a sub-agent's run, means. `byPerson`: its input was a person's. */
export function resultEnd(tool: ToolManifest, result: unknown, byPerson: boolean): ResultEnd {
  if (tool.agent !== undefined) {
    const { output, usage } = result as { output: Json; usage?: Usage }; // agentRun's
    return ended({ observation: delegatedOutput(output), fromTool: true, usage });
  }
  if (tool.external === true) {
    const { output, whole } = externalOutput(result, tool.maxOutputChars);
    return ended({ observation: output, fromTool: true, recorded: whole ? 'raw' : undefined });
  }
  const { output, usage, kind, token } = result as ToolResult; // written by our runner
  if (kind === 'deferred') return { type: 'deferred', note: output, token, usage };
  // The model cannot mend what a person typed.
  if (kind === 'invalid' && byPerson) {
    return { type: 'failed', error: { type: 'ToolInputError', message: asText(output) } };
  }
  return ended({ observation: output, fromTool: kind !== 'invalid', recorded: 'runner', usage });
}

/** What is known of a call that failed for good, beside its failure. */
export interface FailureContext {
  /** A person's cancellation that came as the call failed: what the model is told of it. */
  cancelled: string | undefined;
  /** The run's time limit has passed. */
  overdue: boolean;
}

/** The consequence of a failed call: the run fails, the model is told, or a person is asked. */
export function afterFailure(
  tool: ToolManifest,
  error: ErrorInfo,
  { cancelled, overdue }: FailureContext,
): { type: 'end'; end: CallEnd } | { type: 'ask' } | { type: 'fail' } {
  if (toldByTool(tool, error)) return ended({ observation: error.message, fromTool: true });
  if (cancelled !== undefined) return ended({ observation: cancelled, fromTool: false });
  if (tool.onFailure === 'fail') return { type: 'fail' };
  // The model hears of the death of a worker when the call had no effects that a person would have to look into.
  const isHarmless = tool.effects === 'none' && error.type === 'WorkerDied';
  // After the deadline nobody is asked any more.
  if (tool.onFailure === 'observe' || overdue || isHarmless) {
    return ended({ observation: failedTool(tool.name, error), fromTool: false });
  }
  return { type: 'ask' };
}

/** An external tool tells the model something, as ours do, by an error of the type ToolError: that is no failure. */
export function toldByTool({ external }: ToolManifest, { type }: ErrorInfo): boolean {
  return external === true && type === 'ToolError';
}

/** The end of a call that was cancelled: by a person, by the run's time limit, or by somebody else. */
export function cancelledEnd({ cancelled, overdue }: FailureContext): CallEnd {
  const observation = cancelled ?? (overdue ? CUT_CALL : cancelledTool(undefined));
  return { observation, fromTool: false };
}

/** Calls of a sub-agent as its parent's watchers know them: `1.1/2.1`. */
export function callWithin(caller: string, call: string): string {
  return `${caller}/${call}`;
}

function ended(end: CallEnd): { type: 'end'; end: CallEnd } {
  return { type: 'end', end };
}
