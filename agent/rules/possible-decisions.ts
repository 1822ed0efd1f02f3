import { type Raise, usualRaise } from '../limits/usual-raise.ts';
import { type DecisionFields, type DecisionName, fittingDecisions, ruleOf } from './decisions.ts';
import { type WaitingCall, endsByExtension, stateOf } from './waiting.ts';

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

/** The usual raise of the limit at which a call waits, for `extend`. undefined: no raise of a limit ends the wait. */
export function possibleRaise(waiting: WaitingCall): Raise | undefined {
  return endsByExtension(waiting) ? usualRaise(waiting) : undefined;
}
