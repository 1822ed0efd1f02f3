import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import { type CallModelInput, type ModelTurn, activityId } from '../agent/calls.ts';
import { limits } from '../agent/limits.ts';
import { addUsage } from '../agent/vocabulary.ts';
import { type AgentLoop, GRACE_MS, HEARTBEAT_TIMEOUT } from './run-state.ts';
import { delivered, nextCall } from './transcript.ts';

interface ModelActivity {
  callModel(input: CallModelInput): Promise<ModelTurn>;
}

/** Asks the model what to do next. Throws the activity's failure; the same call can then be planned again (`n`). */
export async function plan(loop: AgentLoop, n = 0): Promise<ModelTurn> {
  const { scope, manifest, transcript, counters } = loop;
  const step = String(counters.iterations + 1);
  const { callModel } = proxyActivities<ModelActivity>({
    activityId: activityId(scope, step, n),
    summary: `step ${step}`,
    startToCloseTimeout: manifest.params.requestTimeoutMs + GRACE_MS,
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: lifeRetry(manifest.modelRetry.maxAttempts),
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  });
  const turn = await callModel(nextCall(transcript));
  delivered(transcript);
  counters.usage = addUsage(counters.usage, turn.usage);
  return turn;
}

/**
 * The runner in activities/ counts an activity's own failures and says when to try again; what Temporal counts are
 * attempts of any end, so its limit leaves room for workers that die. After a death there is nothing to wait for.
 */
export function lifeRetry(maxAttempts: number) {
  return { maximumAttempts: maxAttempts + limits.deaths, initialInterval: 200, backoffCoefficient: 1 };
}
