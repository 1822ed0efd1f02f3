import { ApplicationFailure, isCancellation, sleep, workflowInfo } from '@temporalio/workflow';
import {
  type FailureDetails,
  type MadeCall,
  type ToolCallMeta,
  type ToolResult,
  activityId,
} from '../agent/calls.ts';
import { type FailedCall, readFailure } from '../agent/failures.ts';
import type { ToolManifest } from '../agent/manifest.ts';
import { type CallEnd, cancelledEnd, resultEnd } from '../agent/rules/call-rules.ts';
import { aftermath, withIntent } from '../agent/rules/doubt.ts';
import type { ResultRef } from '../agent/transcript/entries.ts';
import { type Json, type Usage, addUsage } from '../agent/vocabulary.ts';
import { externalActivity, toolActivity } from './activity-options.ts';
import { type AgentLoop, recordsWaits } from './agent-loop.ts';
import { attachMeta } from './call-header.ts';
import { type LocalEnd, localCall, madeLocalToolCalls } from './local-call.ts';
import type { OpenCall } from './open-call.ts';
import { recordedCall } from './recorded-call.ts';
import { endOfAttempt } from './run-failure.ts';
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
  made?: MadeCall | undefined;
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

/** One schedule of a call's `reconcile`, after a wait; undefined where it failed or was cancelled. A cancellation of the run is thrown on. */
export async function reconcileOnce(
  loop: AgentLoop,
  { tool, call, open, input }: Schedule,
  waitMs: number,
): Promise<{ result: ToolResult; ref: ResultRef } | undefined> {
  const id = activityId(loop.scope, call, open.n);
  try {
    const result = await loop.deadline.within(open.scope, async () => {
      if (waitMs > 0) await sleep(waitMs, { summary: `${open.id} ${tool.name} may be running still` });
      attachMeta(id, { ...metaOf(loop, tool, call, open), reconcile: true });
      return toolActivity({ ...tool, effects: 'idempotent' }, id, input)(input);
    });
    const { usage, attempt } = result;
    if (usage !== undefined) loop.counters.usage = addUsage(loop.counters.usage, usage);
    return { result, ref: { activityId: id, attempt } };
  } catch (caught) {
    const failure = endOfAttempt(caught);
    if (isCancellation(failure)) endOfCancelled(loop, open, failure);
    return undefined;
  }
}

/** How a call is made. */
function start(loop: AgentLoop, schedule: Schedule, id: string): Promise<unknown> {
  const { tool, input, live } = schedule;
  if (loop.recorded !== undefined && !live) return recordedCall(loop.recorded, tool.name, input, id);
  if (tool.agent !== undefined) return runSubAgent(loop, tool.agent, id, input);
  if (tool.external === true) return externalActivity(tool, id, input)(input);
  return isInline(schedule) ? startInline(loop, schedule, id) : startOwn(loop, schedule, id);
}

/** What a person has looked at is an activity of its own. */
function isInline({ tool, open, byPerson, made }: Schedule): boolean {
  if (tool.inline !== true || open.n > 0 || byPerson) return false;
  return made !== undefined || madeLocalToolCalls();
}

/** The first attempt was made with the model call. Where that is not the end, the tool's activity follows with the attempts that are left. */
async function startInline(loop: AgentLoop, schedule: Schedule, id: string): Promise<ToolResult> {
  const { tool, made } = schedule;
  const end = made === undefined ? await localCall<ToolResult>(tool.name, [], '') : madeEnd(made);
  if (end.type === 'done') return end.result;
  const { retry } = tool;
  const left = end.failed ? { ...retry, maxAttempts: retry.maxAttempts - 1 } : retry;
  return startOwn(loop, { ...schedule, tool: { ...tool, retry: left } }, id);
}

/** Throws a final failure, as an activity would. */
function madeEnd({ result, failed, again }: MadeCall): LocalEnd<ToolResult> {
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
  return { type: 'end', end, attempts, result: refOf(loop, end, id, attempts) };
}

/** Of model calls that the tool or the sub-agent has made. */
function countUsage({ counters }: AgentLoop, usage: Usage | undefined): void {
  if (usage !== undefined) counters.usage = addUsage(counters.usage, usage);
}

/** Where this run records the result of an activity. Its own id is left out: Temporal's reset changes it. */
function refOf(
  { manifest }: AgentLoop,
  { recorded }: CallEnd,
  id: string,
  attempts: number,
): ResultRef | undefined {
  if (recorded === undefined) return undefined;
  const raw = recorded === 'raw' ? { raw: true as const } : {};
  // Runs of an earlier loop version have recorded references of this shape.
  if (!recordsWaits(manifest)) return { runId: workflowInfo().runId, activityId: id, ...raw };
  return attempts === 1 || recorded === 'raw'
    ? { activityId: id, ...raw }
    : { activityId: id, attempt: attempts };
}

/** Throws the failure on when it is the run that is being cancelled. */
function endOfCancelled(loop: AgentLoop, open: OpenCall, failure: unknown): CallEnd {
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
