import { withoutCalls } from '../calls/calls.ts';
import type { FailedCall } from '../calls/failures.ts';
import { readToolResult } from '../calls/tool-result.ts';
import { type ResultEnd, resultEnd, isToolError } from '../rules/call-rules.ts';
import { isAnswerFor, withoutToken } from '../rules/decisions.ts';
import { aftermath, mayTryAgain, reconciledEnd, undone, withIntent } from '../rules/doubt.ts';
import { type Call, type CallFact, type Transition, ended } from './call-state.ts';
import { decided, setWithin } from './call-wait.ts';
import type { TimelessEvent } from './events.ts';

/** Returns true if the next schedule asks the tool's `reconcile` whether the call took effect. */
function isInDoubt({ tool, last }: Call): boolean {
  return (
    tool?.reconciles === true &&
    last?.type === 'failed' &&
    last.doubt !== undefined &&
    last.found === undefined
  );
}

export function scheduled(call: Call, { n }: Extract<CallFact, { type: 'scheduled' }>): Transition {
  const started = { ...call, n, nextN: n + 1 };
  if (call.kind === 'model') {
    return { call: { ...started, last: undefined }, events: [{ type: 'model_started', call: call.id }] };
  }
  if (isInDoubt(call)) return { call: { ...started, underWay: 'reconcile' }, events: [] };
  const { tool, toolInput } = call.action;
  const run: Call = { ...started, underWay: 'run', checks: [], last: undefined, intent: undefined };
  return { call: run, events: [{ type: 'tool_started', call: call.id, tool, toolInput }] };
}

type ScheduleEnd = Extract<CallFact, { type: 'succeeded' | 'failed' | 'cancelled' }>;

export function scheduleEnded(before: Call, fact: ScheduleEnd): Transition {
  if (before.underWay === 'reconcile') return reconciled(before, fact);
  const { call, events } = setWithin(before, []);
  const end = runEnded(call, fact);
  return { ...end, events: [...events, ...end.events] };
}

function runEnded(before: Call, fact: ScheduleEnd): Transition {
  const { attempts: known, ms } = fact;
  const attempts = before.attempts + (known ?? 1);
  const call: Call = { ...before, underWay: undefined, attempts, durationMs: before.durationMs + ms };
  if (fact.type === 'succeeded') return succeeded(call, fact.result, known);
  if (fact.type === 'failed') return { ...failed(call, fact.failed, known), used: fact.failed.usage };
  const { tool } = call;
  const isDoubt =
    tool !== undefined && aftermath(tool, withIntent(fact.failed, call.intent), call.lost).type === 'doubt';
  if (isDoubt) return failed(call, fact.failed, known);
  return { call: { ...call, last: { type: 'cancelled' } }, events: [] };
}

function succeeded(call: Call, result: unknown, attempts: number | undefined): Transition {
  const { tool } = call;
  if (tool === undefined) return { call, events: [] };
  const end = resultEnd(tool, result, call.byPerson);
  switch (end.type) {
    case 'end':
      return { ...ended({ ...call, elsewhere: undefined }, end.end), used: end.end.usage };
    case 'deferred':
      return { ...deferred(call, end), used: end.usage };
    case 'failed':
      return failed(
        call,
        { error: end.error, checkpoint: undefined, mayPass: false, notDone: 'failed' },
        attempts,
      );
  }
}

function failed(call: Call, failure: FailedCall, attempts = 0): Transition {
  const { id, tool } = call;
  const { mayPass, checkpoint } = failure;
  if (tool === undefined) {
    const { error } = failure;
    const last = { type: 'failed', error, mayPass, again: false } as const;
    const events =
      call.kind === 'model' ? [{ type: 'model_failed', call: id, error, attempts } as const] : [];
    return { call: { ...call, last }, events };
  }
  const after = aftermath(tool, withIntent(failure, call.intent), call.lost);
  const { error } = after;
  if (isToolError(tool, error)) return ended(call, { observation: error.message, fromTool: true });
  const again = after.type === 'again';
  const doubt = after.type === 'doubt' ? after : undefined;
  const lostBy = again ? failure : undefined;
  const last = { type: 'failed', error, mayPass, again, lostBy, doubt } as const;
  const lost = call.lost + (again ? 1 : 0);
  return {
    call: { ...call, last, lost, checkpoint, intent: undefined },
    events: [{ type: 'tool_failed', call: id, error, attempts }],
  };
}

/**
 * A lost attempt said that it may take effect. History may have the loss first, and the workflow hears of both in one task: then the call
 * is in doubt after all.
 */
export function intended(before: Call, { n, intent }: Extract<CallFact, { type: 'intended' }>): Transition {
  if (n !== before.n) return { call: before, events: [] };
  const call: Call = { ...before, intent };
  const { last } = call;
  if (last?.type !== 'failed' || last.lostBy === undefined) return { call, events: [] };
  return { call: failed({ ...call, lost: call.lost - 1 }, last.lostBy).call, events: [] };
}

/** A late signal of an earlier schedule says nothing of this one. */
export function checkpointStored(
  call: Call,
  { n, checkpoint }: Extract<CallFact, { type: 'checkpoint' }>,
): Transition {
  if (n !== call.n) return { call, events: [] };
  const elsewhere = checkpoint ?? undefined;
  return { call: { ...call, elsewhere }, events: [{ type: 'checkpoint', call: call.id, checkpoint }] };
}

function reconciled(before: Call, fact: ScheduleEnd): Transition {
  const { id, tool, last } = before;
  const call: Call = { ...before, underWay: undefined };
  if (tool === undefined || last?.type !== 'failed' || last.doubt === undefined) return { call, events: [] };
  const { doubt } = last;
  const answer =
    fact.type === 'succeeded' ? reconciledEnd(tool, fact.result) : ({ type: 'unknown' } as const);
  const error = fact.type === 'failed' ? { error: fact.failed.error } : {};
  const found = answer.type === 'end' ? 'done' : answer.type;
  // A cancelled `reconcile` has not answered. If it was cancelled in the task that scheduled it, history has nothing of it.
  const events: TimelessEvent[] =
    fact.type === 'cancelled' ? [] : [{ type: 'reconciled', call: id, found, ...error }];
  const used = fact.type === 'succeeded' ? readToolResult(fact.result)?.usage : undefined;
  if (answer.type === 'end') {
    const end = ended({ ...call, elsewhere: undefined }, answer.end);
    return { ...end, events: [...events, ...end.events], used };
  }
  if (answer.type === 'unknown')
    return { call: { ...call, last: { ...last, again: false, found: 'unknown' } }, events, used };
  const again = mayTryAgain(tool, doubt, call);
  const [lost, failures] = doubt.isOwn ? [call.lost, call.failures + 1] : [call.lost + 1, call.failures];
  const notDone = { ...last, again, found: 'notDone', error: undone(tool, doubt) } as const;
  return { call: { ...call, lost, failures, last: notDone }, events, used };
}

/** The call's result comes from outside, and may have arrived already. */
function deferred(before: Call, { note, token, asks }: Extract<ResultEnd, { type: 'deferred' }>): Transition {
  const call: Call = {
    ...before,
    last: { type: 'deferred', note, token, asks },
    checkpoint: undefined,
    earlyAnswers: [],
  };
  const answer = before.earlyAnswers.find((early) => isAnswerFor(token, early));
  return answer === undefined ? { call, events: [] } : decided(call, withoutToken(answer));
}

export function replied(call: Call, fact: Extract<CallFact, { type: 'replied' }>): Transition {
  const { attempts = 1, ms: durationMs, closing } = fact;
  const turn = withoutCalls(fact.turn);
  return { call, events: [{ type: 'model_ended', call: call.id, turn, attempts, durationMs, closing }] };
}
