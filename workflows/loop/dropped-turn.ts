import { type InlineCall, type ModelTurn, activityId } from '../../agent/calls/calls.ts';
import { nextCall } from '../../agent/run/call-next.ts';
import type { Call, CallFact } from '../../agent/run/call-state.ts';
import { nextAction } from '../../agent/run/next-action.ts';
import { plannedCalls } from '../../agent/run/planned-calls.ts';
import { contextOf } from '../call/call-tool.ts';
import type { AgentLoop } from '../run/agent-loop.ts';

/**
 * Counts a turn that a rewind drops, and emits its calls, with the inline calls that the model call's activity has made. The reader of a
 * history shows them too, because the reply may come before the rewind there.
 */
export function dropTurn(loop: AgentLoop, turn: ModelTurn): void {
  const { scope, firstN, manifest, counters, emit } = loop;
  if (turn.decision.type === 'compact') return;
  counters.iterations++;
  if (emit === undefined) return;
  const modelCall = activityId(scope, String(counters.iterations), 0);
  const planned = plannedCalls(modelCall, turn, { tools: manifest.tools, firstN });
  for (const { events } of planned) for (const event of events) emit(event);
  planned.forEach(({ call: state }, index) => {
    const id = activityId(scope, `${counters.iterations}.${index + 1}`, firstN);
    emitInlineCall(
      loop,
      state,
      turn.made?.find((inline) => inline.id === id),
    );
  });
}

/** Emits the events of a call of a dropped turn, if the model call's activity has made the call. */
export function emitInlineCall(loop: AgentLoop, state: Call, inlineCall: InlineCall | undefined): void {
  const end = inlineCall && endOf(inlineCall);
  if (end === undefined) return;
  let call = state;
  const apply = (fact: CallFact) => {
    const next = nextCall(call, fact);
    call = next.call;
    for (const event of next.events) loop.emit?.(event);
  };
  apply({ type: 'scheduled', n: loop.firstN });
  apply(end);
  const action = nextAction(call, contextOf(loop));
  if (action.do === 'end') apply({ type: 'observed', observation: action.end.observation });
}

function endOf({ result, failed, ms }: InlineCall): CallFact | undefined {
  if (result !== undefined) return { type: 'succeeded', result, attempts: result.attempt ?? 1, ms };
  return failed && { type: 'failed', failed: { ...failed, checkpoint: undefined }, ms };
}
