import type { AskedState } from '../calls/asked-state.ts';
import type { PlannedAction } from '../calls/calls.ts';
import { readToolResult } from '../calls/tool-result.ts';
import type { HookChange } from '../definition/hooks.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { CUT_CALL, cancelledTool, failedTool, unknownTool } from '../observation/observations.ts';
import { delegatedOutput, externalOutput } from '../observation/output.ts';
import {
  EXCEPTION_TOOL,
  asText,
  type ErrorInfo,
  type Json,
  type Usage,
  type Truncation,
} from '../values/vocabulary.ts';

/**
 * The rules by which a tool call ends. The loop and the reader of histories both apply them. Pure functions of recorded values.
 */

/** End of a call, with the observation that the model sees. */
export interface CallEnd {
  observation: Json;
  /** The observation comes from the tool. false: it is a sentence about a failure. */
  fromTool: boolean;
  /** The observation is recorded as the call's result: in our runner's record, or as the result itself (`raw`). */
  recorded?: 'runner' | 'raw' | undefined;
  usage?: Usage | undefined;
  /** Changes that the config's hooks made. */
  changes?: HookChange[] | undefined;
}

export type ResultEnd =
  | { type: 'end'; end: CallEnd }
  | { type: 'failed'; error: ErrorInfo }
  /** The tool returned without a result. A person or another system gives the result later. */
  | {
      type: 'deferred';
      note: Json;
      token: string | undefined;
      usage: Usage | undefined;
      asks?: AskedState | undefined;
    };

/** Returns the end of an action that runs no tool, such as a call of an unknown tool. undefined: the tool has to run. */
export function presetEnd(
  { tool, observation }: PlannedAction,
  tools: readonly ToolManifest[],
): { end: CallEnd; startedAs: string } | undefined {
  const known = tools.map(({ name }) => name);
  const isKnown = known.includes(tool);
  if (observation === undefined && isKnown) return undefined;
  return {
    end: { observation: observation ?? unknownTool(tool, known), fromTool: false },
    // LangChain's callbacks report this name for an unknown tool.
    startedAs: isKnown || tool === EXCEPTION_TOOL ? tool : 'invalid_tool',
  };
}

/**
 * Reads the result of an activity, or of a sub-agent's run. The result of another worker, or of an operator who completed the activity,
 * may be any JSON. `byPerson`: a person gave the input.
 */
export function resultEnd(tool: ToolManifest, result: unknown, byPerson: boolean): ResultEnd {
  if (tool.agent !== undefined) {
    const { usage, ...answer } = result as { output: Json; truncated?: Truncation; usage?: Usage }; // agentRun's
    return ended({ observation: delegatedOutput(answer), fromTool: true, usage });
  }
  const ours = tool.external === true ? undefined : readToolResult(result);
  if (ours === undefined) {
    const { output, whole } = externalOutput(result, tool.maxOutputChars);
    return ended({ observation: output, fromTool: true, recorded: whole ? 'raw' : undefined });
  }
  const { output, usage, kind, approved, token, changes, asks } = ours;
  if (kind === 'deferred' || kind === 'asks') return { type: 'deferred', note: output, token, usage, asks };
  // The model cannot correct an input that a person gave, and a person has to hear that an approved call was not run.
  if (kind === 'invalid' && (byPerson || approved === true)) {
    const since = byPerson ? '' : TOOL_CHANGED;
    return { type: 'failed', error: { type: 'ToolInputError', message: `${since}${asText(output)}` } };
  }
  return ended({ observation: output, fromTool: kind !== 'invalid', recorded: 'runner', usage, changes });
}

const TOOL_CHANGED = 'The tool has changed since this call was made, and was not run: ';

/** State of the run when a call fails for the last time. */
export interface FailureContext {
  /** Observation for a call that a person cancelled while it failed. */
  cancelled: string | undefined;
  /** The run's time limit has passed. */
  overdue: boolean;
}

/** Consequence of a failed call: the run fails, the model sees the failure, or a person is asked. */
export function afterFailure(
  tool: ToolManifest,
  error: ErrorInfo,
  { cancelled, overdue }: FailureContext,
): { type: 'end'; end: CallEnd } | { type: 'ask' } | { type: 'fail' } {
  if (isToolError(tool, error)) return ended({ observation: error.message, fromTool: true });
  if (cancelled !== undefined) return ended({ observation: cancelled, fromTool: false });
  if (tool.onFailure === 'fail') return { type: 'fail' };
  // The model sees the death of a worker if the tool only reads: a person has no effects to look into.
  const isDeadReader = tool.effects === 'none' && error.type === 'WorkerDied';
  // No person is asked after the deadline.
  if (tool.onFailure === 'observe' || overdue || isDeadReader) {
    return ended({ observation: failedTool(tool.name, error), fromTool: false });
  }
  return { type: 'ask' };
}

/** An error of type ToolError from an external tool is an observation for the model, not a failure. */
export function isToolError({ external }: ToolManifest, { type }: ErrorInfo): boolean {
  return external === true && type === 'ToolError';
}

/** End of a call that was cancelled by a person, by the run's time limit, or from outside of Reloop. */
export function cancelledEnd({ cancelled, overdue }: FailureContext): CallEnd {
  const observation = cancelled ?? (overdue ? CUT_CALL : cancelledTool(undefined));
  return { observation, fromTool: false };
}

/** Id of a sub-agent's call in its parent's run: `1.1/2.1`. */
export function callWithin(caller: string, call: string): string {
  return `${caller}/${call}`;
}

function ended(end: CallEnd): { type: 'end'; end: CallEnd } {
  return { type: 'end', end };
}
