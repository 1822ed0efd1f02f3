import type { DoneCall } from '../calls/restart.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { type CallEnd, afterFailure, cancelledEnd } from '../rules/call-rules.ts';
import { afterDoubt, reconcileAtMs } from '../rules/doubt.ts';
import type { WaitingReason } from '../rules/wait-reasons.ts';
import { unanswered } from '../rules/waiting.ts';
import type { ErrorInfo } from '../values/vocabulary.ts';
import type { Call, FailedEnding } from './call-state.ts';
import { isNeeded } from '../rules/checks.ts';

/** Next action of the workflow for a tool call. `until`: the wait ends at this time, in milliseconds since 1970. */
export type NextAction =
  | { do: 'schedule' | 'reconcile' | 'nothing' }
  | { do: 'ask'; reason: WaitingReason; until?: number | undefined }
  | { do: 'end'; end: CallEnd }
  | { do: 'fail'; error: ErrorInfo };

/** State of the run that the next action depends on. */
export interface CallContext {
  /** The run's time limit has passed. */
  overdue: boolean;
  nowMs: number;
  /** Approvals for the rest of the run. */
  approved: readonly string[] | undefined;
  /** Calls of dropped steps. */
  done: readonly DoneCall[];
}

export function nextAction(call: Call, context: CallContext): NextAction {
  const { end, tool, last, wait } = call;
  if (end !== undefined) return { do: 'end', end };
  if (tool === undefined) return { do: 'nothing' };
  const isCut = context.overdue || call.cancelled !== undefined;
  if (wait !== undefined || call.underWay !== undefined)
    return isCut ? cut(call, context) : { do: 'nothing' };
  switch (last?.type) {
    case undefined: {
      if (isCut) return cut(call, context);
      const check = call.checks.find((reason) => isNeeded(reason, call, context));
      return check === undefined ? { do: 'schedule' } : { do: 'ask', reason: check };
    }
    case 'cancelled':
      return cut(call, context);
    case 'deferred':
      return isCut ? cut(call, context) : { do: 'ask', reason: 'deferred' };
    case 'unanswered': {
      const after = unanswered(last.timeout, { tool: tool.name, reason: last.reason });
      return after.type === 'end' ? { do: 'end', end: after.end } : { do: 'fail', error: after.error };
    }
    case 'aborted':
      return { do: 'fail', error: last.error };
    case 'failed':
      return last.doubt === undefined
        ? afterFailed(call, tool, last, context)
        : afterDoubted(call, tool, last, context);
    case 'replied':
    case 'stopped':
      return { do: 'nothing' }; // only model calls
  }
}

function afterFailed(
  { cancelled }: Call,
  tool: ToolManifest,
  { error, again }: FailedEnding,
  { overdue }: CallContext,
): NextAction {
  if (again && !overdue && cancelled === undefined) return { do: 'schedule' };
  return asNextAction(afterFailure(tool, error, { cancelled, overdue }), 'failed', error);
}

/** Asks the tool's `reconcile`, if it has one, when the lost attempt must have ended. Otherwise asks a person. */
function afterDoubted(call: Call, tool: ToolManifest, last: FailedEnding, context: CallContext): NextAction {
  const { doubt, error, found, again } = last;
  const { overdue, nowMs } = context;
  if (doubt !== undefined && found === undefined && tool.reconciles === true && !overdue) {
    const until = reconcileAtMs(tool, doubt, nowMs);
    return until === undefined ? { do: 'reconcile' } : { do: 'ask', reason: 'doubt', until };
  }
  if (found === 'notDone') {
    const { cancelled } = call;
    if (cancelled !== undefined || overdue) return cut(call, { overdue: cancelled === undefined });
    if (again) return { do: 'schedule' };
    if (doubt?.isOwn !== true) return { do: 'ask', reason: 'failed' };
    return asNextAction(afterFailure(tool, error, { cancelled, overdue }), 'failed', error);
  }
  return asNextAction(afterDoubt(tool, { overdue }), 'doubt', error);
}

function asNextAction(
  after: { type: 'end'; end: CallEnd } | { type: 'ask' | 'fail' },
  reason: WaitingReason,
  error: ErrorInfo,
): NextAction {
  switch (after.type) {
    case 'end':
      return { do: 'end', end: after.end };
    case 'ask':
      return { do: 'ask', reason };
    case 'fail':
      return { do: 'fail', error };
  }
}

function cut({ cancelled }: Pick<Call, 'cancelled'>, { overdue }: Pick<CallContext, 'overdue'>): NextAction {
  return { do: 'end', end: cancelledEnd({ cancelled, overdue }) };
}
