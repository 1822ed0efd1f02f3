import { CancellationScope } from '@temporalio/workflow';
import { type InlineCall, type ModelTurn, activityId } from '../../agent/calls/calls.ts';
import { replyEntry } from '../../agent/calls/reply-entry.ts';
import type { KeptEnd } from '../../agent/calls/restart.ts';
import { ticketText } from '../../agent/observation/observations.ts';
import type { CallEnd } from '../../agent/rules/call-rules.ts';
import { type Call, hasPersonsInput } from '../../agent/run/call-state.ts';
import { plannedCalls } from '../../agent/run/planned-calls.ts';
import type { ResultRef } from '../../agent/transcript/entries.ts';
import { emitInlineCall } from './dropped-turn.ts';
import type { OpenCall } from '../operator/open-call.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { takeCheckpointRoom } from '../run/checkpoint-room.ts';
import { callTool, openTool } from '../call/call-tool.ts';
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
  const ended: { open: OpenCall; end: CallEnd }[] = [];
  const toMake = calls.filter(
    ({ state, kept }) => kept === undefined && state.end === undefined && state.tool?.background !== true,
  );
  const { share, giveBack } = takeCheckpointRoom(toMake.length);
  loop.checkpointBytes = share;
  try {
    const steps = await allOrCancel(() =>
      calls.map((call, index) => makeStep(loop, call, (open, end) => (ended[index] = { open, end }))),
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
  onEnd: (open: OpenCall, end: CallEnd) => void,
): Promise<Step> {
  if (kept !== undefined) return { ...kept, result: undefined };
  if (state.end !== undefined) return stepOf(state, call, state.end, undefined);
  if (state.tool?.background === true) return startInBackground(loop, state, call);
  const open = openTool(loop, state);
  const { end, result } = await callTool(loop, open, call, inlineCall);
  onEnd(open, end);
  return stepOf(open.now, call, end, result);
}

/** Starts a call for whose result the model does not wait. Returns the step with the ticket. */
function startInBackground(loop: AgentLoop, state: Call, call: string): Step {
  const { background, counters } = loop;
  const { share, giveBack } = takeCheckpointRoom(1);
  const scope = background.newScope();
  // A handoff or a rewind changes these of the loop, and not those of the call.
  const pinned = {
    checkpointBytes: { value: share },
    stepsScope: { value: scope },
    manifest: { value: loop.manifest },
    firstN: { value: loop.firstN },
  };
  const own = Object.create(loop, pinned) as AgentLoop; // with all other fields of the loop
  const open = openTool(own, state);
  const step = stepOf(state, call, { observation: ticketText(call), fromTool: false }, undefined);
  const ticket: Step = { ...step, entry: { ...step.entry, ticket: true, personsInput: undefined } };
  background.start({ iteration: counters.iterations, open, scope, ticket }, async () => {
    try {
      const { end, result } = await callTool(own, open, call, undefined);
      return stepOf(open.now, call, end, result);
    } finally {
      giveBack();
    }
  });
  return ticket;
}

function stepOf(state: Call, call: string, end: CallEnd, result: ResultRef | undefined): Step {
  const { action, planned } = state;
  const { toolCallId } = planned;
  const { observation, fromTool } = end;
  const personsInput = hasPersonsInput(state) || undefined;
  return { entry: { type: 'step', call, action, observation, toolCallId, personsInput }, result, fromTool };
}
