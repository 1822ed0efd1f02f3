import { CancellationScope } from '@temporalio/workflow';
import { type InlineCall, type ModelTurn, activityId, replyEntry } from '../../agent/calls/calls.ts';
import type { KeptEnd } from '../../agent/calls/restart.ts';
import type { CallEnd } from '../../agent/rules/call-rules.ts';
import type { Call } from '../../agent/run/call-state.ts';
import { plannedCalls } from '../../agent/run/planned-calls.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { type EndedCall, callTool } from '../call/call-tool.ts';
import { type Step, type Turn, boundedTurn } from '../run/turn.ts';

/**
 * Runs the actions of one turn, side by side; the steps keep the order of the calls, observations in place. `ends`: of a turn
 * that is taken up again, the calls that are over and were told.
 */
export async function act(loop: AgentLoop, turn: ModelTurn, ends?: readonly KeptEnd[]): Promise<Turn> {
  const { scope, firstN, manifest } = loop;
  const iteration = String(loop.counters.iterations);
  const modelCall = activityId(scope, iteration, 0);
  const planned = plannedCalls(modelCall, turn, { tools: manifest.tools, firstN });
  if (ends === undefined) for (const { events } of planned) for (const event of events) loop.emit?.(event);
  const taken = planned.map(({ call: state }, index) => {
    const call = `${iteration}.${index + 1}`;
    const id = activityId(scope, call, firstN);
    const made = turn.made?.find((one) => one.id === id);
    return { state, call, made, kept: ends?.find(({ entry }) => entry.call === call) };
  });
  const ended: EndedCall[] = [];
  try {
    const steps = await takeTogether(() =>
      taken.map((one, index) => takeStep(loop, one, (end) => (ended[index] = end))),
    );
    return boundedTurn({ reply: replyEntry(turn, iteration), steps });
  } finally {
    // History has the end of a call without a result only with what follows the turn.
    for (const { open, end } of ended.filter(Boolean))
      open.apply({ type: 'observed', observation: end.observation });
  }
}

interface Planned {
  state: Call;
  /** `3.1`. */
  call: string;
  /** The first attempt, made by the model's activity. */
  made: InlineCall | undefined;
  kept: KeptEnd | undefined;
}

/** A call that fails the run takes the others of its turn with it: they are cancelled and awaited. */
async function takeTogether(start: () => Promise<Step>[]): Promise<Step[]> {
  const scope = new CancellationScope();
  let taking: Promise<Step>[] = [];
  try {
    return await scope.run(() => Promise.all((taking = start())));
  } catch (failure) {
    scope.cancel();
    await CancellationScope.nonCancellable(() => Promise.allSettled(taking));
    throw failure;
  }
}

async function takeStep(
  loop: AgentLoop,
  { state, call, made, kept }: Planned,
  onEnd: (ended: EndedCall) => void,
): Promise<Step> {
  if (kept !== undefined) return { ...kept, result: undefined };
  if (state.end !== undefined) return stepOf(state, call, state.end, undefined);
  const ended = await callTool(loop, state, call, made);
  onEnd(ended);
  return stepOf(ended.open.now, call, ended.end, ended.result);
}

function stepOf({ action, planned }: Call, call: string, end: CallEnd, result: ResultRef | undefined): Step {
  const { toolCallId } = planned;
  const { observation, fromTool } = end;
  return { entry: { type: 'step', call, action, observation, toolCallId }, result, fromTool };
}
