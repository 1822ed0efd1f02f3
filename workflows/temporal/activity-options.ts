import { ActivityCancellationType, type ActivityOptions, proxyActivities } from '@temporalio/workflow';
import type { ToolResult } from '../../agent/calls/calls.ts';
import { limits } from '../../agent/values/limits.ts';
import type { AgentManifest, ToolManifest } from '../../agent/definition/manifest.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { asRunFailure } from './run-failure.ts';

/** The runner sends a heartbeat every second. A worker that misses ten counts as dead. */
export const HEARTBEAT_TIMEOUT = '10s';

/** Temporal's time-out of an attempt is longer than the runner's by this time. */
const GRACE_MS = 30_000;

/**
 * Options of an activity whose runner counts failures and applies the time-out (activities/attempt/attempt.ts). `timeoutMs`: maximum time
 * of one attempt. Temporal also counts attempts whose worker died, so its limit is higher. Its pauses apply after worker deaths, and
 * grow, because a call that killed one worker may kill the next. A cancelled activity is waited for: it ends within a second, or when
 * its heartbeats stop.
 */
function runnerOptions(maxAttempts: number, timeoutMs: number): ActivityOptions {
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

/** Options of an activity that reads a recorded run, which may be long. */
export function recordingOptions(): ActivityOptions {
  return runnerOptions(5, 5 * 60_000);
}

/** Runs an activity that reads the record of the run itself, or of the run before. A failure fails the run. */
export function readRecord<R>(name: string, activityId: string, summary: string, input: unknown): Promise<R> {
  const activities = proxyActivities<{ [activity: string]: (input: unknown) => Promise<R> }>({
    activityId,
    summary,
    startToCloseTimeout: '10m',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  });
  const read = activityNamed(activities, name);
  return read(input).catch((failure: unknown) => {
    throw asRunFailure(failure);
  });
}

/** Options of model calls. The runner limits the time in which the model sends nothing. */
export function modelOptions({ modelRetry, modelQueue, holdsBack }: AgentManifest): ActivityOptions {
  const maxAttempts = holdsBack === true ? limits.heldBackAttempts : modelRetry.maxAttempts;
  return { ...runnerOptions(maxAttempts, limits.modelAttemptMs), ...onQueue(modelQueue) };
}

/** More attempts than any agent allows. The runner in activities/ applies the agent's own limit. */
const SUMMARY_ATTEMPTS = 20;

/** Options of a session's summary. Without a worker on the queue of the model calls, the next message is answered without a summary. */
export function summaryOptions(modelQueue: string | undefined): ActivityOptions {
  const options = runnerOptions(SUMMARY_ATTEMPTS, limits.modelAttemptMs);
  return modelQueue === undefined
    ? options
    : { ...options, taskQueue: modelQueue, scheduleToStartTimeout: '1m' };
}

/** Option of an activity on a task queue; undefined: that of the run. */
function onQueue(taskQueue: string | undefined): ActivityOptions {
  return taskQueue === undefined ? {} : { taskQueue };
}

/** Tools with `effects: 'once'` get one attempt per schedule. After an attempt without an effect the workflow schedules the call again. */
const ONCE = { maximumAttempts: 1 };

type Activity<R> = (input: Json) => Promise<R>;

/** Activity of a tool that Reloop's runner runs. */
export function toolActivity(tool: ToolManifest, id: string, input: Json): Activity<ToolResult> {
  const options = runnerOptions(tool.retry.maxAttempts, tool.timeoutMs);
  return activityOf(tool, id, input, tool.effects === 'once' ? { ...options, retry: ONCE } : options);
}

/**
 * Activity of a tool that another worker runs, in any language. Temporal counts its attempts. Its cancellation is not waited for, because
 * the worker may ignore it.
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
    ...onQueue(tool.taskQueue),
  });
  return activityNamed(activities, tool.name);
}

function activityNamed<A>(activities: { [name: string]: A }, name: string): A {
  const activity = activities[name];
  if (activity === undefined) throw new Error('unreachable: a proxy has every name');
  return activity;
}

/** Text after the tool's name on the Web UI's timeline, at most 100 characters. */
export function summaryOf(input: Json): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`;
}
