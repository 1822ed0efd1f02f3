import type { PlannedAction, TurnDecision } from '../calls/calls.ts';
import type { ToolManifest } from '../definition/manifest.ts';
import { handedOver, ignoredHandoff } from '../observation/observations.ts';

/** Gives the handoffs of a decision their observations: no code runs for them. The first one of a turn counts. */
export function withHandoffs(decision: TurnDecision, tools: readonly ToolManifest[]): TurnDecision {
  if (decision.type !== 'act') return decision;
  const target = handoffOf(decision.actions, tools);
  if (target === undefined) return decision;
  let isFirst = true;
  const actions = decision.actions.map((action): PlannedAction => {
    if (targetOf(action, tools) === undefined) return action;
    const observation = isFirst ? handedOver(target) : ignoredHandoff(target);
    isFirst = false;
    return { ...action, observation };
  });
  return { type: 'act', actions };
}

/** Returns the agent to which a turn hands the conversation over; undefined if it does not. */
export function handoffOf(
  actions: readonly Pick<PlannedAction, 'tool'>[],
  tools: readonly ToolManifest[],
): string | undefined {
  return actions.map((action) => targetOf(action, tools)).find((target) => target !== undefined);
}

function targetOf({ tool }: Pick<PlannedAction, 'tool'>, tools: readonly ToolManifest[]): string | undefined {
  return tools.find(({ name }) => name === tool)?.handoff;
}
