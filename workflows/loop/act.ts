import { CancellationScope } from '@temporalio/workflow';
import { type InlineCall, type ModelTurn, activityId } from '../../agent/calls/calls.ts';
import { replyEntry } from '../../agent/calls/reply-entry.ts';
import type { KeptEnd } from '../../agent/calls/restart.ts';
import type { CallEnd } from '../../agent/rules/call-rules.ts';
import { type Call, hasPersonsInput } from '../../agent/run/call-state.ts';
import { plannedCalls } from '../../agent/run/planned-calls.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import { emitInlineCall } from './dropped-turn.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { takeCheckpointRoom } from '../run/checkpoint-room.ts';
import { type EndedCall, callTool } from '../call/call-tool.ts';
import { type Step, type Turn, boundedTurn } from '../run/turn.ts';

/**
 * Makes the calls of one turn in parallel, after a pause. Returns the steps in the order of the calls. `ends`: for a resumed turn, the results of its
 * calls that have ended; their events were emitted before.
 */
export async function act(loop: AgentLoop, turn: ModelTurn, ends?: readonly KeptEnd[]): Promise<Turn> {
  const { scope, firstN, manifest } = loop;
  const iteration = String(loop.counters.iterations);
  const modelCall = activityId(scope, iteration, 0);
  const planned = plannedCalls(modelCall, turn, { tools: manifest.tools, firstN });
  if (ends === undefined) for (const { events } of planned) for (const event of events) loop.emit?.(event);
  const calls = planned.map(({ call: state }, index) => {
    const call = `${iteration}.${index + 1}`;
    const id = activityId(scope, call, firstN);
    const inlineCall = turn.made?.find((inline) => inline.id === id);
    return { state, call, inlineCall, kept: ends?.find(({ entry }) => entry.call === call) };
  });
  if (loop.pause.isOn) await pauseOver(loop, calls);
  const ended: EndedCall[] = [];
  const toMake = calls.filter(({ state, kept }) => kept === undefined && state.end === undefined);
  const { share, giveBack } = takeCheckpointRoom(toMake.length);
  loop.checkpointBytes = share;
  try {
    const steps = await allOrCancel(() =>
      calls.map((call, index) => makeStep(loop, call, (end) => (ended[index] = end))),
    );
    const reply = replyEntry(turn, iteration, manifest);
    return boundedTurn({ reply, steps });
  } finally {
    giveBack();
    // A call without a recorded result ends in history only with the event after the turn. Its event is emitted at the same point.
    for (const { open, end } of ended.filter(Boolean))
      open.apply({ type: 'observed', observation: end.observation });
  }
}

/** Resolves at the end of the pause. If the pause ends with the turn, emits the events of the inline calls, which were made with the model call. */
async function pauseOver(loop: AgentLoop, calls: readonly PlannedStep[]): Promise<void> {
  try {
    await loop.pause.over();
  } catch (failure) {
    for (const { state, inlineCall, kept } of calls)
      if (kept === undefined) emitInlineCall(loop, state, inlineCall);
    throw failure;
  }
}

interface PlannedStep {
  state: Call;
  /** `3.1`. */
  call: string;
  /** The first attempt, made by the model call's activity. */
  inlineCall: InlineCall | undefined;
  kept: KeptEnd | undefined;
}

/** Runs the steps in parallel. If a step fails the run, the other steps are cancelled and awaited. */
async function allOrCancel(start: () => Promise<Step>[]): Promise<Step[]> {
  const scope = new CancellationScope();
  let steps: Promise<Step>[] = [];
  try {
    return await scope.run(() => Promise.all((steps = start())));
  } catch (failure) {
    scope.cancel();
    await CancellationScope.nonCancellable(() => Promise.allSettled(steps));
    throw failure;
  }
}

async function makeStep(
  loop: AgentLoop,
  { state, call, inlineCall, kept }: PlannedStep,
  onEnd: (ended: EndedCall) => void,
): Promise<Step> {
  if (kept !== undefined) return { ...kept, result: undefined };
  if (state.end !== undefined) return stepOf(state, call, state.end, undefined);
  const ended = await callTool(loop, state, call, inlineCall);
  onEnd(ended);
  return stepOf(ended.open.now, call, ended.end, ended.result);
}

function stepOf(state: Call, call: string, end: CallEnd, result: ResultRef | undefined): Step {
  const { action, planned } = state;
  const { toolCallId } = planned;
  const { observation, fromTool } = end;
  const personsInput = hasPersonsInput(state) || undefined;
  return { entry: { type: 'step', call, action, observation, toolCallId, personsInput }, result, fromTool };
}
