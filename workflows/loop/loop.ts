import { CancelledFailure } from '@temporalio/workflow';
import { isUsedUp, reachedLimit } from '../../agent/limits/counters.ts';
import type { KeptTurn } from '../../agent/calls/restart.ts';
import type { Json, StopReason } from '../../agent/values/vocabulary.ts';
import { type ReachedLimit, limitBehind, repeatsReached } from '../../agent/limits/run-limits.ts';
import { stopMessage } from '../../agent/limits/stop-message.ts';
import { act } from './act.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { askAtLimit } from './at-limit.ts';
import type { RecordedResult } from '../messages.ts';
import { plan, planClosing } from './plan.ts';
import { sayAgain } from '../run/recorded-call.ts';
import { runFailure } from '../temporal/run-failure.ts';
import { append } from '../run/transcript.ts';
import { type Step, type Turn, deltaEntries, fullEntries } from '../run/turn.ts';

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
  betweenTurns: (lastTurn: Turn) => Promise<unknown> | undefined,
  kept?: KeptTurn,
): Promise<LoopEnd> {
  const { counters, manifest, transcript, deadline, pause } = loop;
  let again = kept;
  if (counters.iterations === 0) sayAgain(loop);
  for (;;) {
    if (pause.isOn) await pause.over();
    // A turn that is taken up again is counted already: it may be the last.
    const limit = again === undefined ? reached(loop) : undefined;
    if (limit !== undefined) {
      const ended = await atLimit(loop, limit, () => limitBehind(limit, manifest, counters, deadline.nowMs));
      if (ended !== undefined) return ended;
      continue;
    }

    const ends = again?.ends;
    const turn = again?.turn ?? (await plan(loop));
    if (loop.rewindTo !== undefined) throw new CancelledFailure('The run is being rewound');
    if (turn === undefined) continue; // the time limit, which is looked at first
    if (again === undefined) {
      counters.iterations++;
      sayAgain(loop);
    }
    again = undefined;
    if (pause.isOn) await pause.over();
    const { decision } = turn;
    if (decision.type === 'fail') throw runFailure(decision.error);
    if (decision.type === 'finish') {
      const log = decision.log ?? turn.text;
      if (!hasMore(loop)) return end(loop, decision.output, 'final_answer', log);
      append(transcript, [{ type: 'message', role: 'assistant', text: log }]);
      continue;
    }
    if (decision.type === 'stop') {
      const ended = await atLimit(loop, 'max_iterations', () => repeatsReached(counters));
      if (ended !== undefined) return ended;
      delete counters.repeat;
      continue;
    }

    const acted = await act(loop, turn, ends);
    if (pause.isOn) await pause.over();
    const direct = returnDirect(loop, acted.steps);
    if (direct !== undefined && !hasMore(loop)) return end(loop, direct.entry.observation, 'return_direct');

    append(transcript, deltaEntries(acted), fullEntries(acted));
    const leaving = betweenTurns(acted);
    if (leaving !== undefined) await leaving;
  }
}

function reached({ manifest, counters, deadline }: AgentLoop): StopReason | undefined {
  if (deadline.passed && !deadline.renew()) return 'max_execution_time';
  return reachedLimit(manifest, counters, Date.now());
}

/** The run stops, or a person is asked first; undefined: it goes on. */
async function atLimit(
  loop: AgentLoop,
  limit: StopReason,
  what: () => ReachedLimit,
): Promise<LoopEnd | undefined> {
  if (loop.manifest.onLimit !== 'ask') return stopped(loop, limit);
  const next = await askAtLimit(loop, what());
  if (next.type === 'go on') return undefined;
  return next.type === 'answer' ? end(loop, next.output, 'final_answer') : stopped(loop, limit);
}

/** What people said is seen before the run ends, unless a limit ends it: so an answer that it came upon is not the last. */
function hasMore(loop: AgentLoop): boolean {
  return !loop.inbox.isEmpty && reached(loop) === undefined;
}

/** The end that a limit makes: a fixed sentence, or what the model makes of the steps so far, if the budget has room for it. No step, no call. */
async function stopped(loop: AgentLoop, limit: StopReason): Promise<LoopEnd> {
  const { manifest, counters } = loop;
  const mayGenerate = manifest.earlyStopping === 'generate' && !isUsedUp(manifest, counters);
  if (!mayGenerate || counters.iterations === 0) {
    return end(loop, stopMessage(manifest, counters, limit), limit);
  }
  const { decision } = await planClosing(loop);
  if (decision.type === 'fail') throw runFailure(decision.error);
  const output = decision.type === 'finish' ? decision.output : stopMessage(manifest, counters, limit);
  return end(loop, output, limit);
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
