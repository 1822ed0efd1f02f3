import { isCancellation, workflowInfo } from '@temporalio/workflow';
import { type ToolResult, activityId } from '../agent/calls.ts';
import { type FailedCall, readFailure } from '../agent/failures.ts';
import type { ToolManifest } from '../agent/manifest.ts';
import { delegatedOutput, externalOutput } from '../agent/output.ts';
import type { ResultRef } from '../agent/transcript/entries.ts';
import { type Json, addUsage } from '../agent/vocabulary.ts';
import { externalActivity, toolActivity } from './activity-options.ts';
import { attachMeta } from './call-header.ts';
import type { ControlledCall } from './control.ts';
import { untilDeadline } from './deadline.ts';
import type { RunResult } from './messages.ts';
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
    const way = wayOf(scheduled);
    return way.read(await untilDeadline(loop, open.scope, way.start));
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

/** How a call is made, and what its result means. No promises of its own: in the sandbox each one costs. */
interface Way {
  start(): Promise<unknown>;
  read(result: unknown): Tried;
}

function wayOf(scheduled: ScheduledCall): Way {
  const { loop, tool, call, open, input } = scheduled;
  const { agent, external, maxOutputChars } = tool;
  const id = activityId(loop.scope, call, open.n);
  if (agent !== undefined) {
    return {
      start: () => runSubAgent(loop, agent, id, input),
      read: (result) => readAnswer(loop, result as RunResult), // agentRun's
    };
  }
  return external === true
    ? {
        start: () => externalActivity(tool, id, input)(input),
        read: (result) => readExternal(result, id, maxOutputChars),
      }
    : { start: () => startOwn(scheduled, id), read: (result) => readOwn(loop, result as ToolResult, id) }; // our runner's
}

/** A tool of ours: its activity is our runner. */
function startOwn({ loop, tool, call, input, checkpoint }: ScheduledCall, id: string): Promise<ToolResult> {
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
  return toolActivity(tool, id, input)(input);
}

function readOwn(
  { counters }: AgentLoop,
  { output, usage, kind, attempt = 1 }: ToolResult,
  id: string,
): Tried {
  if (usage !== undefined) counters.usage = addUsage(counters.usage, usage);
  const result = { ...resultOf(id), ...(attempt === 1 ? {} : { attempt }) };
  return done({ observation: output, result, genuine: kind !== 'invalid' }, attempt);
}

/** An activity of somebody else's: what it returns is the observation. */
function readExternal(result: unknown, id: string, maxOutputChars: number): Tried {
  const { output, whole } = externalOutput(result, maxOutputChars);
  const where = whole ? { result: { ...resultOf(id), raw: true as const } } : {};
  return done({ observation: output, genuine: true, ...where });
}

function readAnswer({ counters }: AgentLoop, { output, usage }: RunResult): Tried {
  counters.usage = addUsage(counters.usage, usage);
  return done({ observation: delegatedOutput(output), genuine: true });
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
