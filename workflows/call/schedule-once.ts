import { ApplicationFailure, CancellationScope, isCancellation, log } from '@temporalio/workflow';
import {
  type FailureDetails,
  type InlineCall,
  type ToolCallMeta,
  type ToolResult,
  activityId,
  cancelActivityId,
} from '../../agent/calls/calls.ts';
import { readFailure } from '../../agent/calls/failures.ts';
import { readToolResult } from '../../agent/calls/tool-result.ts';
import { limits } from '../../agent/values/limits.ts';
import type { RetryPolicy, ToolManifest } from '../../agent/definition/manifest.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { CallEnd } from '../../agent/rules/call-rules.ts';
import type { CallFact } from '../../agent/run/call-state.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import { externalActivity, toolActivity } from '../temporal/activity-options.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { attachMeta } from '../temporal/call-header.ts';
import type { LocalOutcome } from '../temporal/local-call.ts';
import type { OpenCall } from '../operator/open-call.ts';
import { controlCall } from '../run/background-control.ts';
import { recordedCall, mayFallBackToLive } from '../run/recorded-call.ts';
import { normalizeCancellation } from '../temporal/run-failure.ts';
import { runSubAgent } from './sub-agent.ts';

export interface TurnCall {
  tool: ToolManifest;
  /** `3.1`. */
  call: string;
  open: OpenCall;
  /** The first attempt, made by the model call's activity. */
  inlineCall: InlineCall | undefined;
  /** The tool runs in a backtest, because the recording does not have the call. */
  live?: true | undefined;
}

type ScheduleEnd = Extract<CallFact, { type: 'succeeded' | 'failed' | 'cancelled' }>;

/**
 * Schedules a call once: one activity with all its attempts, or one run of a sub-agent. `reconcile`: asks the tool whether the previous
 * schedule took effect. Resolves to a reference to the result, if the call has ended with a recorded result. Throws when the run is
 * cancelled.
 */
export async function scheduleOnce(
  loop: AgentLoop,
  turnCall: TurnCall,
  reconcile: boolean,
): Promise<ResultRef | undefined> {
  const { open, tool, call } = turnCall;
  const inlineCall = reconcile ? undefined : usableInlineCall(turnCall);
  const n = open.now.nextN;
  const id = activityId(loop.scope, call, n);
  const scope = open.newScope();
  open.apply({ type: 'scheduled', n });
  const fromMs = Date.now();
  let end: ScheduleEnd;
  let toolResult: ToolResult | undefined;
  let ending: unknown;
  try {
    const start = () =>
      reconcile ? startReconcile(loop, turnCall, id) : startCall(loop, turnCall, inlineCall, id);
    const result = await loop.deadline.within(scope, start);
    toolResult = isRunByWorker(tool) ? readToolResult(result) : undefined;
    end = {
      type: 'succeeded',
      result,
      attempts: toolResult?.attempt ?? 1,
      ms: durationOf(inlineCall, fromMs),
    };
  } catch (caught) {
    const failure = normalizeCancellation(caught);
    const ms = durationOf(inlineCall, fromMs);
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
  if (isNotRecorded(loop, turnCall, end)) return scheduleOnce(loop, { ...turnCall, live: true }, false);
  return open.now.end && refOf(open.now.end, id, toolResult);
}

function isRunByWorker({ agent, external }: ToolManifest): boolean {
  return agent === undefined && external !== true;
}

function durationOf(inlineCall: InlineCall | undefined, fromMs: number): number {
  return inlineCall !== undefined && isOver(inlineCall) ? inlineCall.ms : Date.now() - fromMs;
}

const isOver = ({ result, failed }: InlineCall): boolean => result !== undefined || failed !== undefined;

/** Returns true if the model call's activity has made the call. The result counts, also after the run's time limit. */
export function isMade(turnCall: TurnCall): boolean {
  const inlineCall = usableInlineCall(turnCall);
  return inlineCall !== undefined && isOver(inlineCall);
}

function isNotRecorded(loop: AgentLoop, { tool, live, open }: TurnCall, end: ScheduleEnd): boolean {
  const isOpen = live !== true && open.now.end === undefined && open.now.cancelled === undefined;
  return isOpen && end.type === 'failed' && mayFallBackToLive(loop, tool, end.failed.error);
}

/** Returns true if the call was cancelled with the run or with its turn: not by a person, and not by the run's time limit. */
export function isRunEnding({ deadline, stepsScope }: AgentLoop, scope: CancellationScope): boolean {
  const isCut = deadline.passed && !stepsScope.consideredCancelled;
  // The scope is not cancelled if only the sub-agent's run was cancelled.
  return !isCut && scope.consideredCancelled;
}

/** Returns the inline attempt for the first schedule, unless a person has given another input. */
function usableInlineCall({ tool, open, inlineCall }: TurnCall): InlineCall | undefined {
  const { n, byPerson } = open.now;
  return tool.inline === true && n === undefined && !byPerson ? inlineCall : undefined;
}

function startReconcile(loop: AgentLoop, { tool, call, open }: TurnCall, id: string): Promise<ToolResult> {
  const { toolInput } = open.now.action;
  attachMeta(id, { ...metaOf(loop, tool, call, open), reconcile: true });
  loop.trace?.attach(id, open.id);
  return toolActivity({ ...tool, effects: 'idempotent' }, id, toolInput)(toolInput);
}

/** Nine pauses of up to 10 s: the other side may be starting again. */
const CANCEL_RETRY: RetryPolicy = { maxAttempts: 10, initialMs: 1000, backoff: 2, maximumMs: 10_000 };
const CANCEL_TIMEOUT_MS = 60_000;

/**
 * Has the tool end its work elsewhere, for a call that has ended without the result of that work. An attempt that was cancelled cannot do so for
 * certain: its worker may be dead, or the other side away. The call is over also where this fails.
 */
export async function cancelElsewhere(
  loop: AgentLoop,
  { tool, call, open }: TurnCall,
  checkpoint: Json,
): Promise<void> {
  const { toolInput } = open.now.action;
  const id = cancelActivityId(loop.scope, call, open.now.nextN);
  const cancelling: ToolManifest = {
    ...tool,
    effects: 'idempotent',
    retry: CANCEL_RETRY,
    timeoutMs: CANCEL_TIMEOUT_MS,
  };
  attachMeta(id, { ...metaOf(loop, cancelling, call, open), checkpoint, cancel: true });
  try {
    await CancellationScope.nonCancellable(() => toolActivity(cancelling, id, toolInput)(toolInput));
  } catch (failure) {
    log.warn(`Its work elsewhere could not be ended: ${readFailure(failure).error.message}`, {
      call: open.id,
    });
  }
}

function startCall(
  loop: AgentLoop,
  turnCall: TurnCall,
  inlineCall: InlineCall | undefined,
  id: string,
): Promise<unknown> {
  const { tool, live, open } = turnCall;
  const { toolInput } = open.now.action;
  if (loop.recorded !== undefined && live !== true && tool.controls !== true)
    return recordedCall(loop.recorded, tool.name, toolInput, id);
  if (tool.agent !== undefined)
    return runSubAgent(loop, tool.agent, id, toolInput, loop.trace?.parentOf(open.id));
  if (tool.external === true) {
    loop.trace?.attach(id, open.id);
    return externalActivity(tool, id, toolInput)(toolInput);
  }
  return inlineCall === undefined
    ? startActivity(loop, turnCall, id)
    : startInline(loop, turnCall, inlineCall, id);
}

/** Uses the inline attempt. If the attempt has no result, an activity makes the remaining attempts. */
async function startInline(
  loop: AgentLoop,
  turnCall: TurnCall,
  inlineCall: InlineCall,
  id: string,
): Promise<ToolResult> {
  const { tool } = turnCall;
  const outcome = inlineOutcome(inlineCall);
  if (outcome.type === 'done') return outcome.result;
  const { retry } = tool;
  const left = outcome.failed ? { ...retry, maxAttempts: retry.maxAttempts - 1 } : retry;
  return startActivity(loop, { ...turnCall, tool: { ...tool, retry: left } }, id);
}

/** Reads the outcome of an inline attempt. Throws a final failure, as an activity would. */
function inlineOutcome({ result, failed, again }: InlineCall): LocalOutcome<ToolResult> {
  if (failed !== undefined) {
    const details: FailureDetails[] = failed.mayPass ? [{ exhausted: true }] : [];
    throw ApplicationFailure.create({ ...failed.error, details, nonRetryable: true });
  }
  return result === undefined ? { type: 'again', failed: again === true } : { type: 'done', result };
}

function startActivity(loop: AgentLoop, { tool, call, open }: TurnCall, id: string): Promise<ToolResult> {
  const { toolInput } = open.now.action;
  const meta = metaOf(loop, tool, call, open);
  const control = tool.controls === true ? controlCall(loop, open) : undefined;
  attachMeta(id, { ...meta, once: tool.effects === 'once' || undefined, control });
  loop.trace?.attach(id, open.id);
  return toolActivity(tool, id, toolInput)(toolInput);
}

function metaOf(
  { root, scope, manifest, checkpointBytes: share }: AgentLoop,
  tool: ToolManifest,
  call: string,
  open: OpenCall,
): ToolCallMeta {
  const { retry, timeoutMs, maxOutputChars } = tool;
  const context = manifest.context === undefined ? undefined : true;
  const { checkpoint, approved } = open.now;
  const agent = manifest.tookOver === true ? manifest.name : undefined;
  const { hooks } = manifest;
  const checkpointBytes = share < limits.checkpointBytes ? share : undefined;
  return {
    root,
    scope,
    call,
    agent,
    retry,
    timeoutMs,
    maxOutputChars,
    checkpoint,
    checkpointBytes,
    approved: approved === undefined ? undefined : true,
    context,
    hooks,
  };
}

/** Makes a reference to the activity with the recorded result. The reference has no run id, because Temporal's reset changes the run id. */
function refOf({ recorded }: CallEnd, id: string, result: ToolResult | undefined): ResultRef | undefined {
  if (recorded === undefined) return undefined;
  return recorded === 'raw'
    ? { activityId: id, raw: true }
    : { activityId: id, attemptScheduledAt: result?.attemptScheduledAt };
}
