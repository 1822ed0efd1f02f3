import type { Intent, ToolResult } from '../calls.ts';
import type { FailedCall } from '../failures.ts';
import { limits } from '../limits.ts';
import type { ToolManifest } from '../manifest.ts';
import { CUT_IN_DOUBT, inDoubt } from '../observations.ts';
import type { ErrorInfo } from '../vocabulary.ts';
import { type CallEnd, type FailureContext, resultEnd, toldByTool } from './call-rules.ts';

/** What a failed schedule leaves behind, and the error as it is told. */
export type Aftermath =
  /** What is to come is decided as of any tool's failure. */
  | { type: 'failed'; error: ErrorInfo }
  /** The call certainly took no effect, by no fault of its own. */
  | { type: 'again'; error: ErrorInfo }
  /** It may have taken effect. `endsAtMs`: when an attempt must have ended that may be running still. */
  | { type: 'doubt'; error: ErrorInfo; endsAtMs: number | undefined };

/**
 * Of a call that may take effect once only, whatever does not say that nothing was done leaves a doubt. `lost`: schedules of it
 * that came to nothing before this one.
 */
export function aftermath(tool: ToolManifest, failed: FailedCall, lost: number): Aftermath {
  const { error, notDone, timedOut, intent } = failed;
  const isOwn = tool.external !== true;
  if (tool.effects !== 'once' || toldByTool(tool, error)) return { type: 'failed', error };
  if (isOwn && (notDone === 'failed' || error.type === 'Cancelled')) return { type: 'failed', error };
  if (isOwn && (notDone === 'again' || (timedOut && intent === undefined))) {
    if (mayGoAgain(lost)) return { type: 'again', error };
    return { type: 'failed', error: timedOut ? workerDied(tool, lost) : error };
  }
  return {
    type: 'doubt',
    error: error.type === 'InDoubt' ? error : doubtOf(tool, error),
    endsAtMs: intent && intent.at + tool.timeoutMs,
  };
}

/** A call that comes to nothing again and again may itself be the reason. */
export function mayGoAgain(lost: number): boolean {
  return lost < limits.workerDeathsInARow - 1;
}

/** Of an attempt that is lost, the heartbeat may have been wiped out; what it told its run is not. */
export function withIntent(failed: FailedCall, told: Intent | undefined): FailedCall {
  return failed.timedOut === true && failed.intent === undefined ? { ...failed, intent: told } : failed;
}

/** The consequence of a doubt that nothing has cleared up: that is what people are for, whatever else the tool may say. */
export function afterDoubt(
  { onFailure }: ToolManifest,
  { overdue }: Pick<FailureContext, 'overdue'>,
): { type: 'end'; end: CallEnd } | { type: 'ask' } | { type: 'fail' } {
  // After the deadline nobody is asked any more.
  if (overdue) return { type: 'end', end: { observation: CUT_IN_DOUBT, fromTool: false } };
  return onFailure === 'fail' ? { type: 'fail' } : { type: 'ask' };
}

/** What a tool's `reconcile` found of a call in doubt. */
export function reconciledEnd(
  tool: ToolManifest,
  result: unknown,
): { type: 'end'; end: CallEnd } | { type: 'notDone' | 'unknown' } {
  const { reconciled } = result as ToolResult; // written by our runner
  if (reconciled !== 'done') return { type: reconciled ?? 'unknown' };
  const meant = resultEnd(tool, result, false);
  return meant.type === 'end' ? meant : { type: 'unknown' };
}

function doubtOf({ name }: ToolManifest, { type, message }: ErrorInfo): ErrorInfo {
  const what = type === 'Cancelled' ? 'it was cancelled while it ran' : message;
  return { type: 'InDoubt', message: inDoubt(name, what) };
}

function workerDied({ name }: ToolManifest, lost: number): ErrorInfo {
  const message = `The worker of this call died or stopped answering ${lost + 1} times in a row before it took effect, so ${name} is not run again by itself. Look into the worker's log for what it did last.`;
  return { type: 'WorkerDied', message };
}
