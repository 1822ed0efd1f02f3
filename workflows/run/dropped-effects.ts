import { proxyActivities } from '@temporalio/workflow';
import { type ResolvedAgent, activityId } from '../../agent/calls/calls.ts';
import {
  type DoneCall,
  EARLIER_EFFECTS,
  type EffectsQuestion,
  callsWithoutEnd,
  isOnce,
} from '../../agent/calls/restart.ts';
import { HEARTBEAT_TIMEOUT } from '../temporal/activity-options.ts';
import type { AgentRunInput } from '../messages.ts';
import { asRunFailure } from '../temporal/run-failure.ts';

/** Only a run that does steps again has any, or one that is a call again; sub-agents have tools of their own. */
export function mayHaveEffects({ restart, insteadOf }: AgentRunInput, { manifest }: ResolvedAgent): boolean {
  const isAgain = restart !== undefined || insteadOf !== undefined;
  return isAgain && manifest.tools.some((tool) => isOnce(tool) || tool.agent !== undefined);
}

/** The calls with an effect that were made in the steps that are dropped: read here, when no more can come. */
export async function droppedEffects(
  { restart, insteadOf }: AgentRunInput,
  scope: number,
): Promise<DoneCall[]> {
  // A run that is retried with it ended before it made any call.
  if (insteadOf !== undefined) return effectsOf({ run: { workflowId: insteadOf }, step: 1 }, scope);
  if (restart === undefined) return [];
  const { latest, step, turn } = restart;
  return effectsOf({ run: latest, step, again: turn && callsWithoutEnd(step, turn) }, scope);
}

function effectsOf(question: EffectsQuestion, scope: number): Promise<DoneCall[]> {
  const activities = proxyActivities<{
    [EARLIER_EFFECTS](question: EffectsQuestion): Promise<DoneCall[]>;
  }>({
    activityId: activityId(scope, 'effects', 0),
    summary: `of the steps from ${question.step} on`,
    startToCloseTimeout: '10m',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  });
  return activities[EARLIER_EFFECTS](question).catch((failure: unknown) => {
    throw asRunFailure(failure);
  });
}
