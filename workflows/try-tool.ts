import { isCancellation, workflowInfo } from '@temporalio/workflow';
import { type ToolResult, activityId } from '../agent/calls.ts';
import { type FailedCall, readFailure } from '../agent/failures.ts';
import { limits } from '../agent/limits.ts';
import type { ToolManifest } from '../agent/manifest.ts';
import { capOutput, externalOutput } from '../agent/output.ts';
import type { ResultRef } from '../agent/transcript.ts';
import { type Json, addUsage } from '../agent/vocabulary.ts';
import { externalActivity, toolActivity } from './activity-options.ts';
import { attachMeta } from './call-header.ts';
import type { ControlledCall } from './control.ts';
import { untilDeadline } from './deadline.ts';
import { endOfAttempt } from './run-failure.ts';
import type { AgentLoop } from './run-state.ts';
import { runSubAgent } from './sub-agent.ts';

/** One schedule of a call: one activity with all its attempts, or one run of a sub-agent. */
export interface ScheduledCall {
  loop: AgentLoop;
  tool: ToolManifest;
  /** `3.1`. */
  call: string;
  open: ControlledCall;
  input: Json;
  /** Stored by an earlier schedule. */
  checkpoint: Json | undefined;
}

export type Tried =
  | { type: 'done'; done: Done; attempts: number }
  | { type: 'cancelled'; reason: string | undefined }
  /** The run's time limit came first. */
  | { type: 'cut' }
  | { type: 'failed'; failed: FailedCall };

interface Done {
  observation: Json;
  result?: ResultRef;
  genuine: boolean;
}

/** A cancellation of the run is thrown on. */
export async function tryTool(scheduled: ScheduledCall): Promise<Tried> {
  const { loop, open, tool } = scheduled;
  try {
    return await untilDeadline(loop, open.scope, () => run(scheduled));
  } catch (caught) {
    const failure = endOfAttempt(caught);
    const { decision } = open;
    if (!isCancellation(failure)) return failed(failure, tool);
    if (decision?.type === 'cancelCall') {
      open.decision = undefined;
      return { type: 'cancelled', reason: decision.reason };
    }
    if (loop.overdue && !loop.scopeAround.consideredCancelled) return { type: 'cut' };
    // Somebody cancelled the sub-agent's own run.
    if (!open.scope.consideredCancelled) return { type: 'cancelled', reason: undefined };
    throw failure;
  }
}

function run(scheduled: ScheduledCall): Promise<Tried> {
  const { tool } = scheduled;
  if (tool.agent !== undefined) return delegate(scheduled, tool.agent);
  return tool.external === true ? runExternal(scheduled) : runOwn(scheduled);
}

/** A tool of ours: its activity is our runner. */
async function runOwn({ loop, tool, call, open, input, checkpoint }: ScheduledCall): Promise<Tried> {
  const id = activityId(loop.scope, call, open.n);
  const { retry, timeoutMs, maxOutputChars } = tool;
  attachMeta(id, {
    root: loop.root,
    scope: loop.scope,
    call,
    retry,
    timeoutMs,
    maxOutputChars,
    ...(checkpoint === undefined ? {} : { checkpoint }),
  });
  const { output, usage, kind, attempt = 1 }: ToolResult = await toolActivity(tool, id, input)(input);
  if (usage !== undefined) loop.counters.usage = addUsage(loop.counters.usage, usage);
  return done({ observation: output, result: resultOf(id), genuine: kind !== 'invalid' }, attempt);
}

/** An activity of somebody else's: what it returns is the observation. */
async function runExternal({ loop, tool, call, open, input }: ScheduledCall): Promise<Tried> {
  const id = activityId(loop.scope, call, open.n);
  const result = await externalActivity(tool, id, input)(input);
  const { output, whole } = externalOutput(result, tool.maxOutputChars);
  const where = whole ? { result: { ...resultOf(id), raw: true as const } } : {};
  return done({ observation: output, genuine: true, ...where });
}

async function delegate({ loop, call, open, input }: ScheduledCall, agent: string): Promise<Tried> {
  const { output, usage } = await runSubAgent(loop, agent, activityId(loop.scope, call, open.n), input);
  loop.counters.usage = addUsage(loop.counters.usage, usage);
  return done({ observation: capOutput(output, Infinity, limits.externalBytes), genuine: true });
}

/** An external tool tells the model something, as ours do, by an error of the type ToolError. */
function failed(failure: unknown, tool: ToolManifest): Tried {
  const read = readFailure(failure);
  if (tool.external === true && read.error.type === 'ToolError') {
    return done({ observation: read.error.message, genuine: true });
  }
  return { type: 'failed', failed: read };
}

/** Where this run records the result of an activity. */
function resultOf(id: string): ResultRef {
  return { runId: workflowInfo().runId, activityId: id };
}

function done(result: Done, attempts = 1): Tried {
  return { type: 'done', done: result, attempts };
}
