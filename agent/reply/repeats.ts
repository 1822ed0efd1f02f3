import type { PlannedAction, TurnDecision } from '../calls/calls.ts';
import type { Repeat } from '../calls/for-next-call.ts';
import { EMPTY_DIGEST, extendDigest } from '../values/digest.ts';
import { canonicalJson } from '../values/json-object.ts';
import { repeatedAction } from '../observation/observations.ts';

/**
 * Stops a model that repeats itself, for an agent with a `repeatLimit`: at the limit, the model gets a note in place of
 * the action's result; one more repetition ends the run.
 */
export function limitRepeats(
  decision: TurnDecision,
  limit: number | undefined,
  before: Repeat | undefined,
): { decision: TurnDecision; repeat: Repeat | undefined } {
  if (decision.type !== 'act' || limit === undefined) return { decision, repeat: before };
  let repeat = before;
  const actions: PlannedAction[] = [];
  for (const action of decision.actions) {
    const signature = extendDigest(EMPTY_DIGEST, canonicalJson([action.tool, action.toolInput]));
    repeat = { action: signature, times: repeat?.action === signature ? repeat.times + 1 : 1 };
    if (repeat.times > limit) return { decision: { type: 'stop' }, repeat };
    const note = repeat.times === limit ? { observation: repeatedAction(action.tool, limit) } : {};
    actions.push({ ...action, ...note });
  }
  return { decision: { type: 'act', actions }, repeat };
}
