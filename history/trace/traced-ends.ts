import { scopeOf } from '../../agent/calls/calls.ts';
import type { TimelessEvent } from '../../agent/run/events.ts';
import { unanswered } from '../../agent/rules/waiting.ts';
import {
  type CallEnd,
  type FailureContext,
  afterFailure,
  callWithin,
  cancelledEnd,
} from '../../agent/rules/call-rules.ts';
import { afterDoubt } from '../../agent/rules/doubt.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import { type TracedCall, step } from './traced-calls.ts';

/** The ends of calls that history says with what comes after them: the next model call, or nothing any more. */

/** The steps of the calls that a model call, or a run that goes on, was told of. */
export function settleRecorded(
  calls: ReadonlyMap<string, TracedCall>,
  scope: number,
  entries: readonly Entry[],
): TimelessEvent[] {
  return entries.flatMap((entry) => {
    if (entry.type !== 'step') return [];
    const call = calls.get(scope === 0 ? entry.call : callWithin(String(scope), entry.call));
    return call === undefined ? [] : step(call, entry.observation);
  });
}

/** The steps of all calls that have ended; of one agent's, where its scope is given. */
export function settleByRules(
  calls: ReadonlyMap<string, TracedCall>,
  overdue: boolean,
  ending: boolean,
  scope?: number,
): TimelessEvent[] {
  const meant = [...calls.values()].filter(({ id }) => scope === undefined || scopeOf(id) === scope);
  return meant.flatMap((call) => settleByRule(call, overdue, ending));
}

/** No model call followed that would have told: the rules do. */
function settleByRule(call: TracedCall, overdue: boolean, ending: boolean): TimelessEvent[] {
  const end = endByRule(call, overdue, ending);
  return end === undefined ? [] : step(call, end.observation);
}

function endByRule(
  { tool, unsettled, cancelled }: TracedCall,
  overdue: boolean,
  ending: boolean,
): CallEnd | undefined {
  const context: FailureContext = { cancelled, overdue };
  if (tool === undefined) return undefined;
  // It neither waited nor was scheduled again: it was cancelled, or the time limit cut it.
  if (unsettled === undefined || unsettled.type === 'deferred')
    return !ending && (overdue || cancelled !== undefined) ? cancelledEnd(context) : undefined;
  switch (unsettled.type) {
    case 'cancelled':
      return ending && cancelled === undefined ? undefined : cancelledEnd(context);
    case 'failed':
      return unsettled.inDoubt === undefined
        ? endOf(afterFailure(tool, unsettled.error, context))
        : endOf(afterDoubt(tool, context));
    case 'unanswered':
      return endOf(unanswered(unsettled.timeout, { tool: tool.name, reason: unsettled.reason }));
  }
}

function endOf(next: { type: 'end'; end: CallEnd } | { type: 'ask' | 'fail' }): CallEnd | undefined {
  return next.type === 'end' ? next.end : undefined;
}
