import { type CallEnd, afterFailure, cancelledEnd, toldByTool } from '../../agent/rules/call-rules.ts';
import {
  type Doubt,
  afterDoubt,
  aftermath,
  mayGoAgain,
  reconcileAtMs,
  reconciledEnd,
  withIntent,
} from '../../agent/rules/doubt.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import type { ErrorInfo } from '../../agent/values/vocabulary.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { lostAttemptOver } from './lost-attempt.ts';
import { runFailure } from '../temporal/run-failure.ts';
import { type Schedule, type ScheduleEnd, reconcileOnce } from './schedule-once.ts';

/** What becomes of a call whose schedule has failed. */
export type Settled =
  | { type: 'end'; end: CallEnd; result?: ResultRef | undefined; told: 'now' | 'with the turn' }
  /** It took no effect, and is scheduled again by itself. */
  | { type: 'again' }
  | { type: 'ask'; reason: 'failed' | 'doubt'; error: ErrorInfo };

/** `lost`: schedules of the call that came to nothing before this one. Throws when it is the run that fails, or ends. */
export async function settleFailed(
  loop: AgentLoop,
  schedule: Schedule,
  { failed, cancelled: unminded, ending }: Extract<ScheduleEnd, { type: 'failed' }>,
  lost: number,
): Promise<Settled> {
  const { tool, open } = schedule;
  const after = aftermath(tool, withIntent(failed, open.intent), lost);
  const { error } = after;
  if (!toldByTool(tool, error)) loop.emit?.({ type: 'tool_failed', call: open.id, error, attempts: 0 });
  if (ending !== undefined) throw ending;
  const cancelled = unminded ?? open.takeCancellation();
  if (after.type === 'doubt') return settleDoubt(loop, schedule, after, cancelled, lost);
  if (after.type === 'again' && cancelled === undefined && !loop.deadline.passed) return { type: 'again' };

  const next = afterFailure(tool, error, { cancelled, overdue: loop.deadline.passed });
  if (next.type === 'fail') throw runFailure(error);
  if (next.type === 'ask') return { type: 'ask', reason: 'failed', error };
  return { ...next, told: toldByTool(tool, error) ? 'now' : 'with the turn' };
}

/**
 * Clears up whether a call took effect: its tool is asked, where it can say so, but not before the attempt in question must have
 * ended. `cancelled`: what the model is told of a call that a person cancelled, if it turns out to have done nothing.
 */
async function settleDoubt(
  loop: AgentLoop,
  schedule: Schedule,
  doubt: Doubt,
  cancelled: string | undefined,
  lost: number,
): Promise<Settled> {
  const { tool } = schedule;
  const { error } = doubt;
  const said = await reconcile(loop, schedule, doubt);
  if (said.type === 'end') return { ...said, told: 'now' };
  if (said.type === 'notDone' && cancelled !== undefined) {
    return { type: 'end', end: cancelledEnd({ cancelled, overdue: false }), told: 'with the turn' };
  }
  if (said.type === 'notDone' && !loop.deadline.passed) {
    return mayGoAgain(lost) ? { type: 'again' } : { type: 'ask', reason: 'failed', error };
  }
  const next = afterDoubt(tool, { overdue: loop.deadline.passed });
  if (next.type === 'fail') throw runFailure(error);
  return next.type === 'end' ? { ...next, told: 'with the turn' } : { type: 'ask', reason: 'doubt', error };
}

type Reconciled =
  { type: 'end'; end: CallEnd; result?: ResultRef } | { type: 'notDone' } | { type: 'unknown' };

/** A tool that fails at it, or is cancelled, has not said. */
async function reconcile(loop: AgentLoop, schedule: Schedule, doubt: Doubt): Promise<Reconciled> {
  const { open, tool } = schedule;
  if (tool.reconciles !== true || loop.deadline.passed) return { type: 'unknown' };
  open.again(open.checkpoint);
  const until = reconcileAtMs(tool, doubt, Date.now());
  const lost = until === undefined ? undefined : await lostAttemptOver(loop, schedule, doubt, until);
  if (lost?.type === 'end') return lost;
  if (lost?.type === 'cut') return { type: 'unknown' };
  const said = await reconcileOnce(loop, schedule);
  const event = { type: 'reconciled', call: open.id } as const;
  if ('failed' in said) {
    loop.emit?.({ ...event, found: 'unknown', ...(said.failed && { error: said.failed }) });
    return { type: 'unknown' };
  }
  const meant = reconciledEnd(tool, said.result);
  loop.emit?.({ ...event, found: meant.type === 'end' ? 'done' : meant.type });
  return meant.type === 'end' ? { ...meant, result: said.ref } : meant;
}
