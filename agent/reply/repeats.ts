import type { PlannedAction, Repeat, TurnDecision } from '../calls.ts';
import { EMPTY_DIGEST, extendDigest } from '../transcript/digest.ts';
import { canonicalJson } from '../json-object.ts';
import { repeatedAction } from '../observations.ts';

/**
 * What an agent with a `repeatLimit` does about a model that goes round in circles: the limit's action is told to the
 * model instead of being run, one more ends the run.
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
    const told = repeat.times === limit ? { observation: repeatedAction(action.tool, limit) } : {};
    actions.push({ ...action, ...told });
  }
  return { decision: { type: 'act', actions }, repeat };
}
