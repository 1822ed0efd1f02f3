import { isUsedUp, reachedLimit } from '../agent/counters.ts';
import type { KeptTurn } from '../agent/restart.ts';
import type { Json, StopReason } from '../agent/vocabulary.ts';
import { act } from './act.ts';
import type { AgentLoop } from './agent-loop.ts';
import type { RecordedResult } from './messages.ts';
import { plan, planClosing } from './plan.ts';
import { runFailure } from './run-failure.ts';
import { append } from './transcript.ts';
import { type Step, type Turn, deltaEntries, fullEntries } from './turn.ts';

/** What a run came to, and what the model wrote around its final answer. */
export interface LoopEnd {
  result: RecordedResult;
  log: string;
}

/**
 * The loop: think, act, observe. `betweenTurns` may end the run by continuing it as new; undefined: nothing to wait for.
 * `kept`: it begins with a turn that the model has taken already.
 */
export async function iterate(
  loop: AgentLoop,
  betweenTurns: (lastTurn: Turn) => Promise<never> | undefined,
  kept?: KeptTurn,
): Promise<LoopEnd> {
  const { counters, manifest, transcript, deadline } = loop;
  for (let again = kept; ; again = undefined) {
    const limit = deadline.passed ? 'max_execution_time' : reachedLimit(manifest, counters, Date.now());
    // A turn that is taken up again is counted already: it may be the last.
    if (limit !== undefined && again === undefined) return stopped(loop, limit);

    const turn = again === undefined ? await plan(loop) : again.turn;
    if (turn === undefined) return stopped(loop, 'max_execution_time');
    if (again === undefined) counters.iterations++;
    const { decision } = turn;
    if (decision.type === 'fail') throw runFailure(decision.error);
    if (decision.type === 'finish') {
      return end(loop, decision.output, 'final_answer', decision.log ?? turn.text);
    }
    if (decision.type === 'stop') return stopped(loop, 'max_iterations');

    const acted = await act(loop, turn, decision.actions, again?.ends);
    const direct = returnDirect(loop, acted.steps);
    if (direct !== undefined) return end(loop, direct.entry.observation, 'return_direct');

    append(transcript, deltaEntries(acted), fullEntries(acted));
    const leaving = betweenTurns(acted);
    if (leaving !== undefined) await leaving;
  }
}

/** The end that a limit makes: a fixed sentence, or what the model makes of the steps so far, if the budget has room for it. No step, no call. */
async function stopped(loop: AgentLoop, limit: StopReason): Promise<LoopEnd> {
  const { manifest, counters } = loop;
  const mayGenerate = manifest.earlyStopping === 'generate' && !isUsedUp(manifest, counters);
  if (!mayGenerate || counters.iterations === 0) {
    return end(loop, manifest.stoppedOutput, limit);
  }
  const { decision } = await planClosing(loop);
  if (decision.type === 'fail') throw runFailure(decision.error);
  return end(loop, decision.type === 'finish' ? decision.output : manifest.stoppedOutput, limit);
}

/** With exactly one action whose tool says so, its observation is the answer and the model is not asked again. */
function returnDirect(loop: AgentLoop, steps: Step[]): Step | undefined {
  const [only, second] = steps;
  if (only === undefined || second !== undefined || !only.fromTool) return undefined;
  const tool = loop.manifest.tools.find(({ name }) => name === only.entry.action.tool);
  return tool?.returnDirect === true ? only : undefined;
}

function end({ counters, manifest }: AgentLoop, output: Json, stopReason: StopReason, log = ''): LoopEnd {
  const { memory } = manifest;
  const { iterations, usage } = counters;
  return {
    result: { output, stopReason, iterations, usage, memory },
    log,
  };
}
