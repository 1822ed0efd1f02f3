import type { WaitingCall } from '../agent/events.ts';
import { type DecisionName, ruleOf } from '../agent/rules/decisions.ts';
import { stateOf } from '../agent/rules/waiting.ts';
import { DecisionRefused } from './errors.ts';

/** A decision on a call that waits, which can be left out where only one does; any other is on one that runs. */
export function isForWaiting(type: DecisionName): boolean {
  return !ruleOf(type).fits({ kind: 'tool', waiting: undefined });
}

/**
 * The call that is meant where none is named: the only one that the decision fits, in the run or in a sub-agent. Where it
 * fits none, the only one that waits, so that the refusal says what does fit. Throws DecisionRefused where it fits several.
 */
export function meantCall(waiting: readonly WaitingCall[], type: DecisionName): string | undefined {
  const fitting = waiting.filter((one) => ruleOf(type).fits(stateOf(one))).map(({ call }) => call);
  if (fitting.length === 0) return waiting.length === 1 ? waiting[0]?.call : undefined;
  if (fitting.length === 1) return fitting[0];
  throw new DecisionRefused(`${type}: say which call. These wait: ${fitting.join(', ')}.`);
}
