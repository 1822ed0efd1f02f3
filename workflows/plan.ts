import { proxyActivities } from '@temporalio/workflow';
import { type CallModelInput, type ModelTurn, activityId } from '../agent/calls.ts';
import { addUsage } from '../agent/vocabulary.ts';
import { runnerOptions } from './activity-options.ts';
import { asRunFailure } from './run-failure.ts';
import type { AgentLoop } from './run-state.ts';
import { delivered, nextCall } from './transcript.ts';

interface ModelActivity {
  callModel(input: CallModelInput): Promise<ModelTurn>;
}

/** Asks the model what to do next. A failure is the run's, with the cause's type; a cancellation stays one. */
export async function plan(loop: AgentLoop): Promise<ModelTurn> {
  const { scope, manifest, transcript, counters } = loop;
  const step = String(counters.iterations + 1);
  const { callModel } = proxyActivities<ModelActivity>({
    activityId: activityId(scope, step, 0),
    summary: `step ${step}`,
    ...runnerOptions(manifest.modelRetry.maxAttempts, manifest.params.requestTimeoutMs),
  });
  try {
    const turn = await callModel(nextCall(transcript));
    delivered(transcript);
    counters.usage = addUsage(counters.usage, turn.usage);
    return turn;
  } catch (failure) {
    throw asRunFailure(failure);
  }
}
