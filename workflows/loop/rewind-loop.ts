import { workflowInfo } from '@temporalio/workflow';
import { activityId } from '../../agent/calls/calls.ts';
import { REWIND_POINT, type RewindPoint } from '../../agent/run/run-input.ts';
import type { Counters } from '../../agent/limits/counters.ts';
import { restartedEvent } from '../../agent/calls/restart.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { openTranscript } from '../run/transcript.ts';
import { readRecord } from '../temporal/activity-options.ts';

/**
 * Sets the loop back to the state before a step. Call it when no call is under way, because the effects of the dropped steps are read from
 * history.
 */
export async function rewind(loop: AgentLoop, step: number): Promise<void> {
  const { scope, counters, background, deadline } = loop;
  if (!background.isEmpty) await background.stop(step);
  const id = activityId(scope, 'rewind', loop.firstN);
  const lost = background.lostBefore(step);
  const question = lost.length === 0 ? step : { step, lost };
  const point = await readRecord<RewindPoint>(REWIND_POINT, id, `to step ${step}`, question);
  const { from, pending, counters: kept, elapsedMs, done, firstN } = point;
  background.settle({ overdue: deadline.passed, isCancelling: true, done: loop.done });
  background.rewound(step);
  loop.agents.rewound(point);
  const { manifest } = loop;
  loop.transcript = openTranscript({ agent: manifest.name, from, pending, manifest }, manifest, scope);
  loop.nextModelCalls.clear();
  loop.done = done;
  loop.firstN = firstN;
  loop.lastStep = step;
  setCounters(counters, kept);
  loop.deadline.rewind(elapsedMs);
  loop.rewindTo = undefined;
  const { workflowId, runId } = workflowInfo();
  loop.emit?.(
    restartedEvent({ id: workflowId, runId }, { by: 'rewind', step, from: { runId } }, undefined, counters),
  );
}

/** Replaces all counters except those of the clock: see {@link Deadline.rewind}. */
function setCounters(counters: Counters, kept: RewindPoint['counters']): void {
  delete counters.repeat;
  delete counters.size;
  delete counters.count;
  delete counters.approved;
  delete counters.allowance;
  Object.assign(counters, kept);
}
