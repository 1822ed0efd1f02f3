import type { Intent } from '../calls/calls.ts';
import type { FailedCall } from '../calls/failures.ts';
import { readToolResult } from '../calls/tool-result.ts';
import { limits } from '../values/limits.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { CUT_IN_DOUBT, withoutEffect, inDoubt } from '../observation/observations.ts';
import type { ErrorInfo } from '../values/vocabulary.ts';
import { type CallEnd, type FailureContext, resultEnd, isToolError } from './call-rules.ts';

const DIED = 'WorkerDied';

/** Consequence of a failed schedule, with the error that events and the model see. */
export type Aftermath =
  /** Handled like the failure of any tool. */
  | { type: 'failed'; error: ErrorInfo }
  /** The call certainly had no effect, and the tool did not fail. The call is scheduled again. */
  | { type: 'again'; error: ErrorInfo }
  | Doubt;

/** The call may have taken effect. */
export interface Doubt {
  type: 'doubt';
  error: ErrorInfo;
  /** An attempt may still be running; at this time it must have ended. */
  endsAtMs: number | undefined;
  processGone?: true | undefined;
  /** Time at which that was known. */
  goneAtMs?: number | undefined;
  /** Type of the error, if the call turns out to have had no effect. */
  cause: string;
  /** The tool itself failed or took too long: if it had no effect, its `retry` counts that. */
  isOwn?: true | undefined;
}

/**
 * Returns the consequence of a failed schedule. A failed call of a tool with `effects: 'once'` is in doubt, unless its failure says that
 * the call had no effect. `lost`: number of earlier schedules of the call that ended without an effect.
 */
export function aftermath(tool: ToolManifest, failed: FailedCall, lost: number): Aftermath {
  const { error, notDone, timedOut, unattended, intent, fault } = failed;
  const isOwn = tool.external !== true;
  if (tool.effects !== 'once' || isToolError(tool, error)) return { type: 'failed', error };
  // A paused attempt that was lost: it is cancelled without a worker that knows of its effect.
  const isLost = unattended === true && intent !== undefined;
  if (isOwn && (notDone === 'failed' || (error.type === 'Cancelled' && !isLost)))
    return { type: 'failed', error };
  if (isOwn && (notDone === 'again' || (timedOut && intent === undefined))) {
    if (mayReschedule(lost)) return { type: 'again', error };
    return { type: 'failed', error: timedOut ? workerDied(tool, lost) : error };
  }
  return {
    type: 'doubt',
    error: error.type === 'InDoubt' ? error : doubtOf(tool, error),
    endsAtMs: intent && intent.at + tool.timeoutMs,
    ...(failed.processGone === true ? { processGone: true, goneAtMs: failed.goneAtMs } : {}),
    ...(isOwn && fault !== undefined
      ? { cause: fault, isOwn }
      : { cause: isLost || timedOut ? DIED : error.type }),
  };
}

/** Returns false if a call that had no effect is not scheduled again automatically. The counts are those before its latest schedule. */
export function mayTryAgain(
  { retry }: ToolManifest,
  { isOwn }: Doubt,
  { lost, failures }: { lost: number; failures: number },
): boolean {
  return isOwn === true ? failures + 1 < retry.maxAttempts : mayReschedule(lost);
}

/** The error of a call whose `reconcile` has said that it had no effect. */
export function undone({ name }: ToolManifest, { cause, error }: Doubt): ErrorInfo {
  return { type: cause, message: withoutEffect(name, error.message) };
}

/** Time at which `reconcile` may be called; undefined: now. An attempt ends at its time-out at the latest, or with its process. */
export function reconcileAtMs(
  { timeoutMs }: ToolManifest,
  { endsAtMs, processGone, goneAtMs = Infinity }: Doubt,
  nowMs: number,
): number | undefined {
  if (endsAtMs === undefined) return undefined;
  // The intent has the time of the lost worker's clock, which may be wrong. A run may hear of a report some seconds late.
  const latest = processGone === true ? Math.min(nowMs, goneAtMs) + limits.sentRequestMs : nowMs + timeoutMs;
  const atMs = Math.min(endsAtMs, latest);
  return atMs <= nowMs ? undefined : atMs;
}

/** Returns false after several worker deaths in a row: the call itself may kill the worker. */
function mayReschedule(lost: number): boolean {
  return lost < limits.workerDeathsInARow - 1;
}

/** Adds the intent that a lost attempt sent to its run, if the attempt's heartbeat has none: a later attempt may have reset it. */
export function withIntent(failed: FailedCall, sentIntent: Intent | undefined): FailedCall {
  const isLost = failed.timedOut === true || failed.unattended === true;
  return isLost && failed.intent === undefined ? { ...failed, intent: sentIntent } : failed;
}

/** Consequence of a doubt that `reconcile` has not removed: a person decides, unless the tool has `onFailure: 'fail'`. */
export function afterDoubt(
  { onFailure }: ToolManifest,
  { overdue }: Pick<FailureContext, 'overdue'>,
): { type: 'end'; end: CallEnd } | { type: 'ask' } | { type: 'fail' } {
  // No person is asked after the run's time limit.
  if (overdue) return { type: 'end', end: { observation: CUT_IN_DOUBT, fromTool: false } };
  return onFailure === 'fail' ? { type: 'fail' } : { type: 'ask' };
}

/** Reads the answer of a tool's `reconcile` about a call in doubt. */
export function reconciledEnd(
  tool: ToolManifest,
  result: unknown,
): { type: 'end'; end: CallEnd } | { type: 'notDone' | 'unknown' } {
  const { reconciled } = readToolResult(result) ?? {};
  if (reconciled !== 'done') return { type: reconciled ?? 'unknown' };
  const end = resultEnd(tool, result, false);
  return end.type === 'end' ? end : { type: 'unknown' };
}

function doubtOf({ name }: ToolManifest, { type, message }: ErrorInfo): ErrorInfo {
  const what = type === 'Cancelled' ? 'it was cancelled while it ran' : message;
  return { type: 'InDoubt', message: inDoubt(name, what) };
}

function workerDied({ name }: ToolManifest, lost: number): ErrorInfo {
  const message = `The worker of this call died or stopped answering ${lost + 1} times in a row before it took effect, so ${name} is not run again automatically. Look into the worker's log for what it did last.`;
  return { type: DIED, message };
}
