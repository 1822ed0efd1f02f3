import { ApplicationFailure, type CancellationScope, isCancellation } from '@temporalio/workflow';
import {
  type FailureDetails,
  type InlineCall,
  type ToolCallMeta,
  type ToolResult,
  activityId,
} from '../../agent/calls/calls.ts';
import { readFailure } from '../../agent/calls/failures.ts';
import type { ToolManifest } from '../../agent/definition/manifest.ts';
import type { CallEnd } from '../../agent/rules/call-rules.ts';
import type { CallFact } from '../../agent/run/call-state.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import { externalActivity, toolActivity } from '../temporal/activity-options.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { attachMeta } from '../temporal/call-header.ts';
import type { LocalEnd } from '../temporal/local-call.ts';
import type { OpenCall } from '../operator/open-call.ts';
import { recordedCall, runsLive } from '../run/recorded-call.ts';
import { endOfAttempt } from '../temporal/run-failure.ts';
import { runSubAgent } from './sub-agent.ts';

/** A tool call of a turn. */
export interface Work {
  tool: ToolManifest;
  /** `3.1`. */
  call: string;
  open: OpenCall;
  /** The first attempt, made by the model's activity. */
  made: InlineCall | undefined;
  /** In a backtest: runs the tool itself, because the recording does not have the call. */
  live?: true | undefined;
}

type ScheduleEnd = Extract<CallFact, { type: 'succeeded' | 'failed' | 'cancelled' }>;

/**
 * Schedules a call once: one activity with all its attempts, or one run of a sub-agent. `reconcile`: asks the tool about the schedule
 * before. Resolves to the place of the result, if the call has one now. Throws when the run is cancelled.
 */
export async function scheduleOnce(
  loop: AgentLoop,
  work: Work,
  reconcile: boolean,
): Promise<ResultRef | undefined> {
  const { open, tool, call } = work;
  const made = reconcile ? undefined : inlineCall(work);
  const n = open.now.nextN;
  const id = activityId(loop.scope, call, n);
  const scope = open.newScope();
  open.apply({ type: 'scheduled', n });
  const fromMs = Date.now();
  let end: ScheduleEnd;
  let ending: unknown;
  try {
    const start = () => (reconcile ? startReconcile(loop, work, id) : startCall(loop, work, made, id));
    const result = await loop.deadline.within(scope, start);
    end = { type: 'succeeded', result, attempts: attemptsOf(tool, result), ms: durationOf(made, fromMs) };
  } catch (caught) {
    const failure = endOfAttempt(caught);
    const ms = durationOf(made, fromMs);
    if (isCancellation(failure)) {
      end = { type: 'cancelled', failed: readFailure(caught), ms };
      if (open.now.cancelled === undefined && isRunEnding(loop, scope)) ending = failure;
    } else {
      end = { type: 'failed', failed: readFailure(failure), ms };
    }
  }
  if (tool.agent !== undefined) loop.pause.childEnded(id);
  open.apply(end);
  if (ending !== undefined) throw ending;
  if (isNotRecorded(loop, work, end)) return scheduleOnce(loop, { ...work, live: true }, false);
  return open.now.end && refOf(open.now.end, id, end.attempts);
}

function attemptsOf({ agent, external }: ToolManifest, result: unknown): number {
  const isOwn = agent === undefined && external !== true;
  return isOwn ? ((result as ToolResult).attempt ?? 1) : 1; // written by our runner
}

function durationOf(made: InlineCall | undefined, fromMs: number): number {
  const isOver = made?.result !== undefined || made?.failed !== undefined;
  return isOver ? made.ms : Date.now() - fromMs;
}

function isNotRecorded(loop: AgentLoop, { tool, live, open }: Work, end: ScheduleEnd): boolean {
  const isOpen = live !== true && open.now.end === undefined && open.now.cancelled === undefined;
  return isOpen && end.type === 'failed' && runsLive(loop, tool, end.failed.error);
}

/** A cancellation by anybody but a person ends the run, or its turn, unless the time limit has cut the call. */
export function isRunEnding({ deadline, scopeAround }: AgentLoop, scope: CancellationScope): boolean {
  const isCut = deadline.passed && !scopeAround.consideredCancelled;
  // A scope that is not cancelled: somebody has cancelled the sub-agent's own run.
  return !isCut && scope.consideredCancelled;
}

/** The call's first attempt, if the first schedule may use the attempt: a call with a person's input is an activity of its own. */
function inlineCall({ tool, open, made }: Work): InlineCall | undefined {
  const { n, byPerson } = open.now;
  return tool.inline === true && n === undefined && !byPerson ? made : undefined;
}

function startReconcile(loop: AgentLoop, { tool, call, open }: Work, id: string): Promise<ToolResult> {
  const { toolInput } = open.now.action;
  attachMeta(id, { ...metaOf(loop, tool, call, open), reconcile: true });
  return toolActivity({ ...tool, effects: 'idempotent' }, id, toolInput)(toolInput);
}

function startCall(loop: AgentLoop, work: Work, made: InlineCall | undefined, id: string): Promise<unknown> {
  const { tool, live, open } = work;
  const { toolInput } = open.now.action;
  if (loop.recorded !== undefined && live !== true)
    return recordedCall(loop.recorded, tool.name, toolInput, id);
  if (tool.agent !== undefined) return runSubAgent(loop, tool.agent, id, toolInput);
  if (tool.external === true) return externalActivity(tool, id, toolInput)(toolInput);
  return made === undefined ? startOwn(loop, work, id) : startInline(loop, work, made, id);
}

/** The first attempt was made with the model call. Unless the attempt ended the call, an activity makes the attempts that are left. */
async function startInline(loop: AgentLoop, work: Work, made: InlineCall, id: string): Promise<ToolResult> {
  const { tool } = work;
  const end = madeEnd(made);
  if (end.type === 'done') return end.result;
  const { retry } = tool;
  const left = end.failed ? { ...retry, maxAttempts: retry.maxAttempts - 1 } : retry;
  return startOwn(loop, { ...work, tool: { ...tool, retry: left } }, id);
}

/** Throws a final failure, as an activity would. */
function madeEnd({ result, failed, again }: InlineCall): LocalEnd<ToolResult> {
  if (failed !== undefined) {
    const details: FailureDetails[] = failed.mayPass ? [{ exhausted: true }] : [];
    throw ApplicationFailure.create({ ...failed.error, details, nonRetryable: true });
  }
  return result === undefined ? { type: 'again', failed: again === true } : { type: 'done', result };
}

/** Reloop's own runner is the tool's activity. */
function startOwn(loop: AgentLoop, { tool, call, open }: Work, id: string): Promise<ToolResult> {
  const { toolInput } = open.now.action;
  const meta = metaOf(loop, tool, call, open);
  attachMeta(id, tool.effects === 'once' ? { ...meta, once: true } : meta);
  return toolActivity(tool, id, toolInput)(toolInput);
}

function metaOf({ root, scope }: AgentLoop, tool: ToolManifest, call: string, open: OpenCall): ToolCallMeta {
  const { retry, timeoutMs, maxOutputChars } = tool;
  return { root, scope, call, retry, timeoutMs, maxOutputChars, checkpoint: open.now.checkpoint };
}

/** The activity whose result this run records. The run's own id is left out: Temporal's reset changes it. */
function refOf({ recorded }: CallEnd, id: string, attempts = 1): ResultRef | undefined {
  if (recorded === undefined) return undefined;
  const raw = recorded === 'raw' ? { raw: true as const } : {};
  return attempts === 1 || recorded === 'raw'
    ? { activityId: id, ...raw }
    : { activityId: id, attempt: attempts };
}
