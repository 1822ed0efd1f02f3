import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { ModelTurn } from '../../agent/calls/calls.ts';
import type { KeptEnd, KeptTurn } from '../../agent/calls/restart.ts';
import { handoffOf } from '../../agent/reply/handoff-actions.ts';
import { grown } from '../../agent/transcript/compaction.ts';
import { act } from './act.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { atLimit, limitOf, stopRepeating } from './at-limit.ts';
import { dropTurn } from './dropped-turn.ts';
import { type LoopEnd, endWith } from './loop-end.ts';
import { plan } from './plan.ts';
import { resolveTarget } from './resolve.ts';
import { replayMessages } from '../run/recorded-call.ts';
import { runFailure } from '../temporal/run-failure.ts';
import { backgroundOver } from '../run/late-results.ts';
import { append } from '../run/transcript.ts';
import { type Step, type Turn, deltaEntries, fullEntries } from '../run/turn.ts';

/** May end the run by continuing it as new. Returns undefined if there is nothing to wait for. */
export type BetweenTurns = (lastTurn: Turn) => Promise<unknown> | undefined;

/** The loop: think, act, observe. `kept`: the first turn, if a restart keeps the model's reply. */
export async function iterate(
  loop: AgentLoop,
  betweenTurns: BetweenTurns,
  kept?: KeptTurn,
): Promise<LoopEnd> {
  if (loop.counters.iterations === 0) replayMessages(loop);
  for (let first = kept; ; first = undefined) {
    const turn = first?.turn ?? (await think(loop));
    if ('result' in turn) {
      if (loop.background.isOpen) await backgroundOver(loop);
      if (loop.pause.isOn) await loop.pause.over();
      return turn;
    }
    const end = await carryOut(loop, turn, betweenTurns, first?.ends);
    if (end !== undefined) return end;
  }
}

/** Returns the model's next turn, or the run's end at a limit. */
async function think(loop: AgentLoop): Promise<ModelTurn | LoopEnd> {
  for (;;) {
    if (loop.pause.isOn) await loop.pause.over();
    // A model call would take the messages that are meant for the run after its rewind.
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('The run is cancelled');
    const limit = limitOf(loop);
    if (limit !== undefined) {
      const end = await atLimit(loop, limit);
      if (end !== undefined) return end;
      continue;
    }
    const turn = await plan(loop);
    if (loop.rewindTo !== undefined) {
      if (turn !== undefined && !('result' in turn)) dropTurn(loop, turn);
      throw new CancelledFailure('The run is being rewound');
    }
    if (turn === undefined) continue; // the time limit cut the model call
    if ('result' in turn) return turn;
    if (turn.decision.type !== 'compact') beginTurn(loop);
    return turn;
  }
}

function beginTurn(loop: AgentLoop): void {
  loop.counters.iterations++;
  loop.nextModelCalls.clear();
  replayMessages(loop);
}

/** Carries out the model's decision. Returns the run's end; undefined if the model is asked again. */
async function carryOut(
  loop: AgentLoop,
  turn: ModelTurn,
  betweenTurns: BetweenTurns,
  ends?: readonly KeptEnd[],
): Promise<LoopEnd | undefined> {
  const { decision, text } = turn;
  if (loop.pause.isOn && decision.type !== 'act') await loop.pause.over();
  switch (decision.type) {
    case 'fail':
      throw runFailure(decision.error);
    case 'stop':
      return stopRepeating(loop);
    case 'compact':
      append(loop.transcript, [{ type: 'summary', text, keep: decision.keep }]);
      delete loop.counters.size;
      return undefined;
    case 'finish': {
      const { output, log = text, truncated } = decision;
      if (!loop.background.isEmpty) await backgroundOver(loop, () => hasMessage(loop));
      if (!hasUnseenMessage(loop)) return endWith(loop, output, 'final_answer', log, truncated);
      append(loop.transcript, [{ type: 'message', role: 'assistant', text: log }]);
      return undefined;
    }
    case 'act': {
      const acted = await act(loop, turn, ends);
      if (loop.pause.isOn) await loop.pause.over();
      const direct = returnDirect(loop, acted.steps);
      if (direct !== undefined && !loop.background.isEmpty)
        await backgroundOver(loop, () => hasMessage(loop));
      if (direct !== undefined && !hasUnseenMessage(loop))
        return endWith(loop, direct.entry.observation, 'return_direct');
      append(loop.transcript, deltaEntries(acted), fullEntries(acted));
      const { counters } = loop;
      if (counters.size !== undefined) counters.size = grown(counters.size, fullEntries(acted));
      const target = handoffOf(decision.actions, loop.manifest.tools);
      if (target !== undefined) await handOver(loop, target);
      await betweenTurns(acted);
      return undefined;
    }
  }
}

/** Gives the conversation to another agent, which makes the next turns. */
async function handOver(loop: AgentLoop, target: string): Promise<void> {
  const manifest = await resolveTarget(loop, target);
  loop.agents.set(manifest);
  append(loop.transcript, [{ type: 'agent', manifest }]);
}

/** Returns true if the model has to see a message, or the result of a background call, before the run ends. After a limit the model is not asked again. */
function hasUnseenMessage(loop: AgentLoop): boolean {
  return hasMessage(loop) || (loop.background.hasResult && limitOf(loop) === undefined);
}

function hasMessage(loop: AgentLoop): boolean {
  return !loop.inbox.isEmpty && limitOf(loop) === undefined;
}

/** Returns the step whose observation is the answer: the only step of its turn, with a tool that has `returnDirect`. */
function returnDirect(loop: AgentLoop, steps: Step[]): Step | undefined {
  const [only, second] = steps;
  if (only === undefined || second !== undefined || !only.fromTool) return undefined;
  const tool = loop.manifest.tools.find(({ name }) => name === only.entry.action.tool);
  return tool?.returnDirect === true ? only : undefined;
}
