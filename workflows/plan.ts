import { CancellationScope, isCancellation, proxyActivities } from '@temporalio/workflow';
import { type CallModelInput, type ModelTurn, activityId } from '../agent/calls.ts';
import { readFailure } from '../agent/failures.ts';
import { limits } from '../agent/limits.ts';
import { addUsage } from '../agent/vocabulary.ts';
import { runnerOptions } from './activity-options.ts';
import { untilDeadline } from './deadline.ts';
import { asRunFailure } from './run-failure.ts';
import type { AgentLoop } from './run-state.ts';
import { delivered, nextCall } from './transcript.ts';

/** Asks the model what to do next; undefined when the run's time limit cut the call. A failure is the run's, with the cause's type. */
export function plan(loop: AgentLoop): Promise<ModelTurn | undefined> {
  return loop.manifest.maxExecutionTimeMs === null ? callModel(loop, {}) : planUntilDeadline(loop);
}

async function planUntilDeadline(loop: AgentLoop): Promise<ModelTurn | undefined> {
  try {
    return await untilDeadline(loop, new CancellationScope(), () => callModel(loop, {}));
  } catch (failure) {
    if (loop.overdue && isCancellation(failure) && !loop.scopeAround.consideredCancelled) return undefined;
    throw failure;
  }
}

/** A limit was reached: asks the model for its answer. */
export function planClosing(loop: AgentLoop): Promise<ModelTurn> {
  return callModel(loop, { closing: true });
}

interface ModelActivity {
  callModel(input: CallModelInput): Promise<ModelTurn>;
}

async function callModel(loop: AgentLoop, more: Partial<CallModelInput>): Promise<ModelTurn> {
  const { scope, manifest, transcript, counters } = loop;
  const step = String(counters.iterations + 1);
  const activities = proxyActivities<ModelActivity>({
    activityId: activityId(scope, step, 0),
    summary: more.closing === true ? 'the answer, at the limit' : `step ${step}`,
    ...runnerOptions(manifest.modelRetry.maxAttempts, limits.modelAttemptMs),
  });
  const { repeat } = counters;
  const input = { ...nextCall(transcript), ...(repeat === undefined ? {} : { repeat }), ...more };
  const call = activityId(scope, step, 0);
  const startedAt = loop.notify && Date.now();
  loop.notify?.({ type: 'model_started', call });
  try {
    const turn = await activities.callModel(input);
    loop.notify?.({
      type: 'model_ended',
      call,
      turn,
      attempts: turn.attempt ?? 1,
      durationMs: Date.now() - (startedAt ?? 0),
      ...(more.closing === true ? { closing: true } : {}),
    });
    delivered(transcript);
    counters.usage = addUsage(counters.usage, turn.usage);
    if (turn.repeat !== undefined) counters.repeat = turn.repeat;
    return turn;
  } catch (failure) {
    const ended = asRunFailure(failure);
    if (!isCancellation(ended)) {
      loop.notify?.({ type: 'model_failed', call, error: readFailure(ended).error, attempts: 0 });
    }
    throw ended;
  }
}
