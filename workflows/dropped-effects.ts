import { proxyActivities } from '@temporalio/workflow';
import { type ResolvedAgent, activityId } from '../agent/calls.ts';
import {
  type DoneCall,
  EARLIER_EFFECTS,
  type EffectsQuestion,
  callsWithoutEnd,
  isOnce,
} from '../agent/restart.ts';
import { HEARTBEAT_TIMEOUT } from './activity-options.ts';
import type { AgentRunInput } from './messages.ts';
import { asRunFailure } from './run-failure.ts';

/** Only a run that does steps again has any; sub-agents have tools of their own. */
export function mayHaveEffects({ restart }: AgentRunInput, { manifest }: ResolvedAgent): boolean {
  return restart !== undefined && manifest.tools.some((tool) => isOnce(tool) || tool.agent !== undefined);
}

/** The calls with an effect that were made in the steps that are dropped: read here, when no more can come. */
export async function droppedEffects({ restart }: AgentRunInput, scope: number): Promise<DoneCall[]> {
  if (restart === undefined) return [];
  const { latest, step, turn } = restart;
  const activities = proxyActivities<{
    [EARLIER_EFFECTS](question: EffectsQuestion): Promise<DoneCall[]>;
  }>({
    activityId: activityId(scope, 'effects', 0),
    summary: `of the steps from ${step} on`,
    startToCloseTimeout: '10m',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  });
  return activities[EARLIER_EFFECTS]({ run: latest, step, again: turn && callsWithoutEnd(step, turn) }).catch(
    (failure: unknown) => {
      throw asRunFailure(failure);
    },
  );
}
