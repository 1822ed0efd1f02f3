import { type ResolvedAgent, activityId } from '../../agent/calls/calls.ts';
import {
  type DoneCall,
  EARLIER_EFFECTS,
  type EffectsQuestion,
  callsWithoutEnd,
  isOnce,
} from '../../agent/calls/restart.ts';
import { isOneOfSeveral } from '../../agent/definition/handed-over.ts';
import { readRecord } from '../temporal/activity-options.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/**
 * Returns true if effects of dropped steps may exist: the run repeats steps or a sub-agent's call, and has tools with `effects: 'once'`,
 * or sub-agents or other agents of the conversation, which may have such tools.
 */
export function mayHaveEffects({ restart, insteadOf }: AgentRunInput, { manifest }: ResolvedAgent): boolean {
  const isAgain = restart !== undefined || insteadOf !== undefined;
  const hasEffects = manifest.tools.some((tool) => isOnce(tool) || tool.agent !== undefined);
  return isAgain && (hasEffects || isOneOfSeveral(manifest));
}

/** Reads the effects of dropped steps by an activity. Called when the dropped run can add no more. */
export async function droppedEffects(
  { restart, insteadOf, pending = [] }: AgentRunInput,
  scope: number,
): Promise<DoneCall[]> {
  // A sub-agent that is both repeated and restarted ended before it made any call.
  if (insteadOf !== undefined) return effectsOf({ run: { workflowId: insteadOf }, step: 1 }, scope);
  if (restart === undefined) return [];
  const { latest, step, turn } = restart;
  const lost = pending.flatMap((entry) => (entry.type === 'late' && entry.lost === true ? [entry.call] : []));
  return effectsOf(
    {
      run: latest,
      step,
      again: turn && callsWithoutEnd(step, turn),
      lost: lost.length === 0 ? undefined : lost,
    },
    scope,
  );
}

function effectsOf(question: EffectsQuestion, scope: number): Promise<DoneCall[]> {
  const summary = `of the steps from ${question.step} on`;
  return readRecord(EARLIER_EFFECTS, activityId(scope, 'effects', 0), summary, question);
}
