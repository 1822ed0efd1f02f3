import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { activityId } from '../../agent/calls/calls.ts';
import { REWIND_POINT, type RewindPoint } from '../../agent/run/rewind-point.ts';
import type { Counters } from '../../agent/limits/counters.ts';
import { restartedEvent } from '../../agent/run/transcript-edits.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { openTranscript } from '../run/transcript.ts';
import { HEARTBEAT_TIMEOUT } from '../temporal/activity-options.ts';
import { asRunFailure } from '../temporal/run-failure.ts';

/**
 * Sets the loop back to the state before a step. Call it when no call is under way, because the effects of the dropped steps are read from
 * history.
 */
export async function rewind(loop: AgentLoop, step: number): Promise<void> {
  const { manifest, scope, counters } = loop;
  const { from, pending, counters: kept, elapsedMs, done, firstN } = await pointBefore(loop, step);
  loop.transcript = openTranscript({ agent: manifest.name, from, pending, manifest }, manifest, scope);
  loop.nextModelCall = undefined;
  loop.done = done;
  loop.firstN = firstN;
  loop.lastStep = step;
  setCounters(counters, kept);
  loop.deadline.rewind(elapsedMs);
  loop.rewindTo = undefined;
  const { workflowId: id, runId } = workflowInfo();
  loop.emit?.(restartedEvent({ id, runId }, { by: 'rewind', step, from: { runId } }, undefined, counters));
}

/** Replaces all counters except those of the clock: see {@link Deadline.rewind}. */
function setCounters(counters: Counters, kept: RewindPoint['counters']): void {
  delete counters.repeat;
  delete counters.approved;
  delete counters.allowance;
  Object.assign(counters, kept);
}

function pointBefore({ scope, firstN }: AgentLoop, step: number): Promise<RewindPoint> {
  const activities = proxyActivities<{ [REWIND_POINT](step: number): Promise<RewindPoint> }>({
    activityId: activityId(scope, 'rewind', firstN),
    summary: `to step ${step}`,
    startToCloseTimeout: '10m',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  });
  return activities[REWIND_POINT](step).catch((failure: unknown) => {
    throw asRunFailure(failure);
  });
}
