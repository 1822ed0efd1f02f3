import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { ToolResult } from '../../agent/calls/calls.ts';
import { limits } from '../../agent/values/limits.ts';
import type { AgentManifest, ToolManifest } from '../../agent/definition/manifest.ts';
import type { Json } from '../../agent/values/vocabulary.ts';

/** Heartbeats come every second; a worker that misses ten is taken for dead. */
export const HEARTBEAT_TIMEOUT = '10s';

/** What Temporal grants an attempt on top of the time-out that the runner itself keeps. */
const GRACE_MS = 30_000;

/**
 * Options of an activity whose runner counts its failures and keeps its time-out (activities/attempt/attempt.ts); `timeoutMs` is
 * the longest that an attempt may take in all. What Temporal counts are attempts of any end, so its limit leaves room for
 * workers that die. Its waits are those after a death, and they grow: what kills one worker may kill the next, and others
 * need it. A cancelled activity is waited for: it ends within a second, or with its heartbeats.
 */
export function runnerOptions(maxAttempts: number, timeoutMs: number): ActivityOptions {
  return {
    startToCloseTimeout: timeoutMs + GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: {
      maximumAttempts: maxAttempts + limits.workerDeathAllowance,
      initialInterval: 200,
      backoffCoefficient: 3,
      maximumInterval: '30s',
    },
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  };
}

/** Of an activity that reads a recorded run, which may be long. */
export function recordingOptions(): ActivityOptions {
  return runnerOptions(5, 5 * 60_000);
}

/** Of the model's calls: how long one may be silent is the runner's affair. */
export function modelOptions({ modelRetry }: AgentManifest): ActivityOptions {
  return runnerOptions(modelRetry.maxAttempts, limits.modelAttemptMs);
}

/** A further attempt would not know what the one before has done; where it has done nothing, the workflow schedules anew. */
const ONCE = { maximumAttempts: 1 };

type Activity<R> = (input: Json) => Promise<R>;

/** The activity of a tool that our runner runs. */
export function toolActivity(tool: ToolManifest, id: string, input: Json): Activity<ToolResult> {
  const options = runnerOptions(tool.retry.maxAttempts, tool.timeoutMs);
  return activityOf(tool, id, input, tool.effects === 'once' ? { ...options, retry: ONCE } : options);
}

/**
 * The activity of a tool that another worker runs, in whatever language: Temporal counts its attempts, and its
 * cancellation is not waited for, because nobody can know whether it listens.
 */
export function externalActivity(tool: ToolManifest, id: string, input: Json): Activity<Json> {
  const { retry, timeoutMs, heartbeatTimeoutMs } = tool;
  return activityOf(tool, id, input, {
    startToCloseTimeout: timeoutMs,
    retry: {
      maximumAttempts: tool.effects === 'once' ? 1 : retry.maxAttempts,
      initialInterval: retry.initialMs,
      backoffCoefficient: retry.backoff,
      maximumInterval: retry.maximumMs,
      nonRetryableErrorTypes: ['ToolError'],
    },
    cancellationType: ActivityCancellationType.TRY_CANCEL,
    ...(heartbeatTimeoutMs === undefined ? {} : { heartbeatTimeout: heartbeatTimeoutMs }),
  });
}

function activityOf<R>(tool: ToolManifest, id: string, input: Json, options: ActivityOptions): Activity<R> {
  const activities = proxyActivities<{ [name: string]: Activity<R> }>({
    activityId: id,
    summary: summaryOf(input),
    ...options,
    ...(tool.taskQueue === undefined ? {} : { taskQueue: tool.taskQueue }),
  });
  const activity = activities[tool.name];
  if (activity === undefined) throw new Error('unreachable: a proxy has every name');
  return activity;
}

/** What the Web UI's timeline shows behind the tool's name, at most 120 characters of it. */
export function summaryOf(input: Json): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`;
}
