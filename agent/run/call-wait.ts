import { limitError } from '../limits/run-limits.ts';
import { type OperatorDecision, effectOf, isAnswerFor, withoutToken } from '../rules/decisions.ts';
import { earlierCall, repeatedError } from '../rules/repeated.ts';
import { waitReasonOf } from '../rules/wait-reasons.ts';
import type { Wait, WaitingCall } from '../rules/waiting.ts';
import { type Check, answererOf } from '../rules/checks.ts';
import { type Call, type CallFact, type Transition, type WaitFact, ended } from './call-state.ts';
import type { TimelessEvent } from './events.ts';
import { type WaitsChange, waitEvents, applyWaitsChange } from './waits-change.ts';

export function waitStarted(call: Call, fact: WaitFact): Transition {
  const { id, action, last } = call;
  const { until } = fact;
  // Histories of 0.3.0 have a question to a person as `deferred`.
  const reason = fact.reason === 'deferred' && last?.type !== 'deferred' ? 'answer' : fact.reason;
  const { tool: name, toolInput } = action;
  const about = waitAbout(call, { ...fact, reason });
  const wait: WaitingCall = { call: id, n: call.nextWait, tool: name, toolInput, reason, ...about };
  // A person and a client have no activity, so this is the only event that shows the call's beginning.
  const started: TimelessEvent[] = waitReasonOf(reason).isBeginning
    ? [{ type: 'tool_started', call: id, tool: name, toolInput }]
    : [];
  const waiting: Call = {
    ...call,
    wait,
    nextWait: call.nextWait + 1,
    // A wait before the first schedule of a model call has that schedule's number.
    nextN: reason === 'limit' ? call.nextN + 1 : call.nextN,
    token: last?.type === 'deferred' ? last.token : undefined,
    checks: call.checks.slice(call.checks.indexOf(reason as Check) + 1), // a reason that is not a check leaves all checks
    cancelled: until === undefined ? undefined : call.cancelled,
  };
  return { call: waiting, events: [...started, { type: 'waiting', wait }] };
}

/** Returns the error, the note and the end of a wait. */
export function waitAbout(
  { planned, action, last }: Call,
  { reason, until, figure, done }: WaitFact,
): Omit<Wait, 'reason'> {
  const ends = until === undefined ? {} : { until };
  const { about } = waitReasonOf(reason);
  if (about === undefined) return {};
  switch (about) {
    case 'earlier call': {
      const earlier = earlierCall(done, planned, action.toolInput);
      return earlier === undefined ? {} : { error: repeatedError(earlier) };
    }
    case 'failed check': {
      const error = planned.approval?.error;
      return error === undefined ? {} : { error };
    }
    case 'limit':
      return figure === undefined ? {} : { error: limitError(figure) };
    case 'note':
      return last?.type === 'deferred' ? { note: last.note } : {};
    case 'failure':
      return last?.type === 'failed' ? { error: last.error, ...ends } : ends;
  }
}

export function waitEnded(call: Call, { isBeside }: Extract<CallFact, { type: 'wait_ended' }>): Transition {
  if (call.wait === undefined) return { call, events: [] };
  // A model call waits alone, if there are no background calls: the wait ends with a message to the run, or with the run, and both have an event.
  const resumed: TimelessEvent = { type: 'resumed', call: call.id };
  const events = isBeside === true ? [resumed] : call.kind === 'model' ? [] : [resumed];
  return { call: withoutUntil({ ...call, wait: undefined }), events };
}

/** Ignores a late signal: a sub-agent that is not under way has no waits. */
export function childWaitsChanged(call: Call, change: WaitsChange): Transition {
  if (call.underWay === undefined) return { call, events: [] };
  return setWithin(call, applyWaitsChange(call.within, change));
}

export function setWithin(call: Call, within: readonly WaitingCall[]): Transition {
  if (call.within.length + within.length === 0) return { call, events: [] };
  return { call: { ...call, within }, events: waitEvents(call.within, within) };
}

/** Ends a wait in which no person decided in time. */
export function unanswered(call: Call, { timeout }: Extract<CallFact, { type: 'unanswered' }>): Transition {
  if (call.wait === undefined) return { call, events: [] };
  const last = { type: 'unanswered', reason: call.wait.reason, timeout } as const;
  return { call: { ...call, wait: undefined, last }, events: [{ type: 'unanswered', call: call.id }] };
}

/** The lost attempt has ended: its time has passed, or a person says so. */
function withoutUntil(call: Call): Call {
  if (call.last?.type !== 'failed' || call.last.doubt === undefined) return call;
  return { ...call, last: { ...call.last, doubt: { ...call.last.doubt, endsAtMs: undefined } } };
}

export function decided(call: Call, decision: OperatorDecision): Transition {
  const { id, kind, tool, action } = call;
  const { wait } = call;
  const effect = effectOf(decision, wait?.reason === 'limit' ? undefined : wait?.error);
  const events: TimelessEvent[] = [{ type: 'decided', call: id, decision }];
  const over: Call = { ...call, wait: undefined };
  switch (effect.type) {
    case 'none':
      return { call, events };
    case 'cancel':
      return { call: { ...over, cancelled: effect.observation }, events };
    case 'now':
      return { call: withoutUntil(over), events };
    case 'stop':
      return { call: { ...over, last: { type: 'stopped' } }, events };
    case 'fail':
      return { call: { ...over, last: { type: 'aborted', error: effect.error } }, events };
    case 'again': {
      const { input = action.toolInput } = effect;
      const hasInput = effect.input !== undefined;
      const answerer = answererOf(tool);
      const checks: readonly Check[] = [
        ...(hasInput ? (['repeated'] as const) : []),
        ...call.checks.filter((check) => check !== answerer),
        ...(answerer === undefined ? [] : [answerer]),
      ];
      const approved = decision.type === 'approve' ? input : call.approved;
      const byPerson = call.byPerson || hasInput;
      const again = { action: { ...action, toolInput: input }, byPerson, approved, checks };
      return { call: { ...over, ...again, last: undefined, lost: 0, failures: 0 }, events };
    }
    case 'end': {
      const { observation, fromTool } = effect;
      if (kind === 'model') {
        return { call: { ...over, last: { type: 'replied', reply: observation } }, events };
      }
      const { last } = call;
      if (fromTool && last?.type === 'deferred' && last.asks !== undefined) {
        const checkpoint = { asked: last.asks.state, answer: observation };
        return { call: { ...over, checkpoint, last: undefined, lost: 0, failures: 0 }, events };
      }
      const end = ended(over, { observation, fromTool });
      return { ...end, events: [...events, ...end.events] };
    }
  }
}

export function answered(call: Call, decision: OperatorDecision): Transition {
  const { last } = call;
  if (last?.type !== 'deferred')
    return { call: { ...call, earlyAnswers: [...call.earlyAnswers, decision] }, events: [] };
  return isAnswerFor(last.token, decision) ? decided(call, withoutToken(decision)) : { call, events: [] };
}
