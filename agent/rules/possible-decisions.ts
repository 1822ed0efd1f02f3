import { type DecisionFields, type DecisionName, fittingDecisions, ruleOf } from './decisions.ts';
import { type WaitingCall, stateOf } from './waiting.ts';

/** A decision that a page can offer for a waiting call: the name for `decide`, its effect, its fields. */
export interface PossibleDecision {
  type: DecisionName;
  does: string;
  takes: { [F in keyof DecisionFields]?: 'optional' | 'required' };
}

/** The decisions that a waiting call takes. */
export function possibleDecisions(waiting: WaitingCall): PossibleDecision[] {
  return fittingDecisions(stateOf(waiting)).map((type) => {
    const { does, takes } = ruleOf(type);
    return { type, does, takes };
  });
}
