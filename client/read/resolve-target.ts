import { type WaitingCall, stateOf } from '../../agent/rules/waiting.ts';
import { type DecisionName, decisionFits } from '../../agent/rules/decisions.ts';
import { DecisionRefused } from '../connect/errors.ts';

/**
 * True for a decision on a waiting call, whose id can be left out if only one waits; other decisions are on running
 * calls.
 */
export function isForWaiting(type: DecisionName): boolean {
  return !decisionFits(type, { kind: 'tool', waiting: undefined });
}

/**
 * The implied target of a decision without a call: the only waiting call that the decision fits, in the run or in a
 * sub-agent. If it fits none, the only waiting call, so that the refusal names what fits. Throws DecisionRefused if it
 * fits several.
 */
export function resolveTargetCall(waiting: readonly WaitingCall[], type: DecisionName): string | undefined {
  const fitting = waiting.filter((one) => decisionFits(type, stateOf(one))).map(({ call }) => call);
  if (fitting.length === 0) return waiting.length === 1 ? waiting[0]?.call : undefined;
  if (fitting.length === 1) return fitting[0];
  throw new DecisionRefused(`${type}: say which call. These wait: ${fitting.join(', ')}.`);
}
