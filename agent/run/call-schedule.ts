import { withoutCalls } from '../calls/calls.ts';
import type { FailedCall } from '../calls/failures.ts';
import { resultEnd, toldByTool } from '../rules/call-rules.ts';
import { isAnswerFor, withoutToken } from '../rules/decisions.ts';
import { aftermath, mayGoAgain, reconciledEnd, withIntent } from '../rules/doubt.ts';
import type { Json, Usage } from '../values/vocabulary.ts';
import { type Call, type CallFact, type Next, ended } from './call-state.ts';
import { decided, setWithin } from './call-wait.ts';
import type { TimelessEvent } from './events.ts';

/** The tool's `reconcile` has to say whether the call had its effect. */
function isInDoubt({ tool, last }: Call): boolean {
  return (
    tool?.reconciles === true &&
    last?.type === 'failed' &&
    last.doubt !== undefined &&
    last.found === undefined
  );
}

export function scheduled(call: Call, { n, input }: Extract<CallFact, { type: 'scheduled' }>): Next {
  const begun = { ...call, n, nextN: n + 1 };
  if (call.kind === 'model') {
    return { call: { ...begun, last: undefined }, events: [{ type: 'model_started', call: call.id }] };
  }
  if (isInDoubt(call)) return { call: { ...begun, underWay: 'reconcile' }, events: [] };
  const toolInput = input === undefined ? call.action.toolInput : input;
  const action = { ...call.action, toolInput };
  const run: Call = { ...begun, action, underWay: 'run', checks: [], last: undefined, intent: undefined };
  return { call: run, events: [{ type: 'tool_started', call: call.id, tool: action.tool, toolInput }] };
}

type WorkEnded = Extract<CallFact, { type: 'succeeded' | 'failed' | 'cancelled' }>;

export function scheduleEnded(before: Call, fact: WorkEnded): Next {
  if (before.underWay === 'reconcile') return reconciled(before, fact);
  const { call, events } = setWithin(before, []);
  const end = runEnded(call, fact);
  return { ...end, events: [...events, ...end.events] };
}

function runEnded(before: Call, fact: WorkEnded): Next {
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

function succeeded(call: Call, result: unknown, attempts: number | undefined): Next {
  const { tool } = call;
  if (tool === undefined) return { call, events: [] };
  const end = resultEnd(tool, result, call.byPerson);
  switch (end.type) {
    case 'end':
      return { ...ended(call, end.end), used: end.end.usage };
    case 'deferred':
      return { ...deferred(call, end.note, end.token), used: end.usage };
    case 'failed':
      return failed(
        call,
        { error: end.error, checkpoint: undefined, mayPass: false, notDone: 'failed' },
        attempts,
      );
  }
}

function failed(call: Call, failure: FailedCall, attempts = 0): Next {
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
  if (toldByTool(tool, error)) return ended(call, { observation: error.message, fromTool: true });
  const again = after.type === 'again';
  const doubt = after.type === 'doubt' ? after : undefined;
  const last = { type: 'failed', error, mayPass, again, doubt } as const;
  const lost = call.lost + (again ? 1 : 0);
  return {
    call: { ...call, last, lost, checkpoint, intent: undefined },
    events: [{ type: 'tool_failed', call: id, error, attempts }],
  };
}

function reconciled(before: Call, fact: WorkEnded): Next {
  const { id, tool, last } = before;
  const call: Call = { ...before, underWay: undefined };
  if (tool === undefined || last?.type !== 'failed') return { call, events: [] };
  const said = fact.type === 'succeeded' ? reconciledEnd(tool, fact.result) : ({ type: 'unknown' } as const);
  const error = fact.type === 'failed' ? { error: fact.failed.error } : {};
  const found = said.type === 'end' ? 'done' : said.type;
  const events: TimelessEvent[] = [{ type: 'reconciled', call: id, found, ...error }];
  const used = fact.type === 'succeeded' ? resultUsage(fact.result) : undefined;
  if (said.type === 'end') {
    const end = ended(call, said.end);
    return { ...end, events: [...events, ...end.events], used };
  }
  const isDone = said.type === 'notDone';
  const again = isDone && mayGoAgain(call.lost);
  const lost = call.lost + (isDone ? 1 : 0);
  return { call: { ...call, lost, last: { ...last, again, found: said.type } }, events, used };
}

function resultUsage(result: unknown): Usage | undefined {
  return (result as { usage?: Usage } | undefined)?.usage; // written by our runner
}

/** Somebody outside gives the result, and may have done so already. */
function deferred(before: Call, note: Json, token: string | undefined): Next {
  const call: Call = { ...before, last: { type: 'deferred', note, token }, checkpoint: undefined, kept: [] };
  const answer = before.kept.find((one) => isAnswerFor(token, one));
  return answer === undefined ? { call, events: [] } : decided(call, withoutToken(answer));
}

export function replied(call: Call, fact: Extract<CallFact, { type: 'replied' }>): Next {
  const { attempts = 1, ms: durationMs, closing } = fact;
  const turn = withoutCalls(fact.turn);
  return { call, events: [{ type: 'model_ended', call: call.id, turn, attempts, durationMs, closing }] };
}
