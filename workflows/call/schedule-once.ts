import { ApplicationFailure, isCancellation } from '@temporalio/workflow';
import {
  type FailureDetails,
  type InlineCall,
  type ToolCallMeta,
  type ToolResult,
  activityId,
} from '../../agent/calls/calls.ts';
import { type FailedCall, readFailure } from '../../agent/calls/failures.ts';
import type { ToolManifest } from '../../agent/definition/manifest.ts';
import { type CallEnd, cancelledEnd, resultEnd } from '../../agent/rules/call-rules.ts';
import { aftermath, withIntent } from '../../agent/rules/doubt.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import { type ErrorInfo, type Json, type Usage, addUsage } from '../../agent/values/vocabulary.ts';
import { externalActivity, toolActivity } from '../temporal/activity-options.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { attachMeta } from '../temporal/call-header.ts';
import type { LocalEnd } from '../temporal/local-call.ts';
import type { OpenCall } from '../operator/open-call.ts';
import { recordedCall } from '../run/recorded-call.ts';
import { endOfAttempt } from '../temporal/run-failure.ts';
import { runSubAgent } from './sub-agent.ts';

/** One schedule of a call: one activity with all its attempts, or one run of a sub-agent. */
export interface Schedule {
  tool: ToolManifest;
  /** `3.1`. */
  call: string;
  open: OpenCall;
  input: Json;
  /** The input is a person's. */
  byPerson: boolean;
  /** In a backtest: the tool itself is run, for the recording does not have the call. */
  live: boolean;
  /** The first attempt, where the model's activity has made it. */
  made?: InlineCall | undefined;
}

export type ScheduleEnd =
  | { type: 'end'; end: CallEnd; attempts: number; result?: ResultRef | undefined }
  | { type: 'cancelled'; end: CallEnd }
  /** The result comes from outside; `note` is for who is asked. */
  | { type: 'deferred'; note: Json; token: string | undefined; attempts: number }
  /** `cancelled`: a person's cancellation, which the call may not have minded; the model is told so where it has. */
  | { type: 'failed'; failed: FailedCall; cancelled?: string | undefined; ending?: unknown };

/** A cancellation of the run is thrown on. */
export async function scheduleOnce(loop: AgentLoop, schedule: Schedule): Promise<ScheduleEnd> {
  const { open, tool, byPerson } = schedule;
  const id = activityId(loop.scope, schedule.call, open.n);
  try {
    const result = await loop.deadline.within(open.scope, () => start(loop, schedule, id));
    return read(loop, tool, id, result, byPerson);
  } catch (caught) {
    const failure = endOfAttempt(caught);
    if (!isCancellation(failure)) {
      const failed = readFailure(failure);
      countUsage(loop, failed.usage);
      return { type: 'failed', failed };
    }
    const failed = withIntent(readFailure(caught), open.intent);
    if (aftermath(tool, failed, 0).type === 'doubt') return cancelledInDoubt(loop, open, caught, failure);
    return { type: 'cancelled', end: endOfCancelled(loop, open, failure) };
  }
}

/** `ending`: it is the run that is being cancelled, which has to be thrown on. */
function cancelledInDoubt(loop: AgentLoop, open: OpenCall, caught: unknown, failure: unknown): ScheduleEnd {
  const failed = readFailure(caught);
  const cancelled = open.takeCancellation();
  if (cancelled !== undefined) return { type: 'failed', failed, cancelled };
  return isRunEnding(loop, open) ? { type: 'failed', failed, ending: failure } : { type: 'failed', failed };
}

/** One schedule of a call's `reconcile`; `failed`: why it could not say, undefined where it was cancelled. Throws a cancellation of the run. */
export async function reconcileOnce(
  loop: AgentLoop,
  { tool, call, open, input }: Schedule,
): Promise<{ result: ToolResult; ref: ResultRef } | { failed: ErrorInfo | undefined }> {
  const id = activityId(loop.scope, call, open.n);
  try {
    const result = await loop.deadline.within(open.scope, async () => {
      if (loop.pause.isOn) await loop.pause.over();
      attachMeta(id, { ...metaOf(loop, tool, call, open), reconcile: true });
      return toolActivity({ ...tool, effects: 'idempotent' }, id, input)(input);
    });
    const { usage, attempt } = result;
    if (usage !== undefined) loop.counters.usage = addUsage(loop.counters.usage, usage);
    return { result, ref: { activityId: id, attempt } };
  } catch (caught) {
    const failure = endOfAttempt(caught);
    if (!isCancellation(failure)) return { failed: readFailure(failure).error };
    endOfCancelled(loop, open, failure);
    return { failed: undefined };
  }
}

/** How a call is made. */
function start(loop: AgentLoop, schedule: Schedule, id: string): Promise<unknown> {
  const { tool, input, live } = schedule;
  if (loop.recorded !== undefined && !live) return recordedCall(loop.recorded, tool.name, input, id);
  if (tool.agent !== undefined) return runSubAgent(loop, tool.agent, id, input);
  if (tool.external === true) return externalActivity(tool, id, input)(input);
  return schedule.made !== undefined && isInline(schedule)
    ? startInline(loop, schedule, schedule.made, id)
    : startOwn(loop, schedule, id);
}

/** A call that a person has looked at is an activity of its own. */
function isInline({ tool, open, byPerson }: Schedule): boolean {
  return tool.inline === true && open.isFirstSchedule && !byPerson;
}

/** The first attempt was made with the model call. Where that is not the end, the tool's activity follows with the attempts that are left. */
async function startInline(
  loop: AgentLoop,
  schedule: Schedule,
  made: InlineCall,
  id: string,
): Promise<ToolResult> {
  const { tool } = schedule;
  const end = madeEnd(made);
  if (end.type === 'done') return end.result;
  const { retry } = tool;
  const left = end.failed ? { ...retry, maxAttempts: retry.maxAttempts - 1 } : retry;
  return startOwn(loop, { ...schedule, tool: { ...tool, retry: left } }, id);
}

/** Throws a final failure, as an activity would. */
function madeEnd({ result, failed, again }: InlineCall): LocalEnd<ToolResult> {
  if (failed !== undefined) {
    const details: FailureDetails[] = failed.mayPass ? [{ exhausted: true }] : [];
    throw ApplicationFailure.create({ ...failed.error, details, nonRetryable: true });
  }
  return result === undefined ? { type: 'again', failed: again === true } : { type: 'done', result };
}

/** A tool of ours: its activity is our runner. */
function startOwn(loop: AgentLoop, { tool, call, open, input }: Schedule, id: string): Promise<ToolResult> {
  const meta = metaOf(loop, tool, call, open);
  attachMeta(id, tool.effects === 'once' ? { ...meta, once: true } : meta);
  return toolActivity(tool, id, input)(input);
}

function metaOf({ root, scope }: AgentLoop, tool: ToolManifest, call: string, open: OpenCall): ToolCallMeta {
  const { retry, timeoutMs, maxOutputChars } = tool;
  return { root, scope, call, retry, timeoutMs, maxOutputChars, checkpoint: open.checkpoint };
}

function read(
  loop: AgentLoop,
  tool: ToolManifest,
  id: string,
  result: unknown,
  byPerson: boolean,
): ScheduleEnd {
  const meant = resultEnd(tool, result, byPerson);
  if (meant.type === 'failed') {
    return {
      type: 'failed',
      failed: { error: meant.error, checkpoint: undefined, mayPass: false, notDone: 'failed' },
    };
  }
  const own = tool.agent === undefined && tool.external !== true;
  const attempts = own ? ((result as ToolResult).attempt ?? 1) : 1; // our runner's
  countUsage(loop, meant.type === 'end' ? meant.end.usage : meant.usage);
  if (meant.type === 'deferred') return { type: 'deferred', note: meant.note, token: meant.token, attempts };
  const { end } = meant;
  return { type: 'end', end, attempts, result: refOf(end, id, attempts) };
}

/** Of model calls that the tool or the sub-agent has made. */
function countUsage({ counters }: AgentLoop, usage: Usage | undefined): void {
  if (usage !== undefined) counters.usage = addUsage(counters.usage, usage);
}

/** Where this run records the result of an activity. Its own id is left out: Temporal's reset changes it. */
function refOf({ recorded }: CallEnd, id: string, attempts: number): ResultRef | undefined {
  if (recorded === undefined) return undefined;
  const raw = recorded === 'raw' ? { raw: true as const } : {};
  return attempts === 1 || recorded === 'raw'
    ? { activityId: id, ...raw }
    : { activityId: id, attempt: attempts };
}

/** Throws the failure on when it is the run that is being cancelled. */
export function endOfCancelled(loop: AgentLoop, open: OpenCall, failure: unknown): CallEnd {
  const cancelled = open.takeCancellation();
  if (cancelled !== undefined) return cancelledEnd({ cancelled, overdue: false });
  if (isRunEnding(loop, open)) throw failure;
  return cancelledEnd({ cancelled, overdue: isCut(loop) });
}

/** What has cancelled a call that no person has: the run or its turn, which is ending. */
function isRunEnding(loop: AgentLoop, open: OpenCall): boolean {
  // A scope that is not cancelled: somebody has cancelled the sub-agent's own run.
  return !isCut(loop) && open.scope.consideredCancelled;
}

/** The time limit has cut what was running. */
function isCut({ deadline, scopeAround }: AgentLoop): boolean {
  return deadline.passed && !scopeAround.consideredCancelled;
}
