import { isUsedUp, reachedLimit } from '../../agent/limits/counters.ts';
import { type ReachedLimit, exceededLimit, repeatsReached } from '../../agent/limits/run-limits.ts';
import { stopMessage } from '../../agent/limits/stop-message.ts';
import { askTimeoutOf, unanswered } from '../../agent/rules/waiting.ts';
import type { Ending } from '../../agent/run/call-state.ts';
import type { Json, StopReason } from '../../agent/values/vocabulary.ts';
import { type AgentLoop, withModelCall } from '../run/agent-loop.ts';
import { backgroundOver } from '../run/late-results.ts';
import { type LoopEnd, endWith } from './loop-end.ts';
import { planClosing } from './plan.ts';
import { runFailure } from '../temporal/run-failure.ts';

/** Returns the limit that the run has reached; undefined if none. */
export function limitOf({ manifest, counters, deadline }: AgentLoop): StopReason | undefined {
  if (deadline.passed && !deadline.renew()) return 'max_execution_time';
  return reachedLimit(manifest, counters, Date.now());
}

/** Stops the run, or asks a person. Returns the run's end; undefined if a person lets the run continue. */
export function atLimit(loop: AgentLoop, limit: StopReason): Promise<LoopEnd | undefined> {
  const { manifest, counters, deadline } = loop;
  return stopOrAsk(loop, limit, () => exceededLimit(limit, manifest, counters, deadline.nowMs));
}

/** Stops a run whose model repeats one action (`repeatLimit`), or asks a person. */
export async function stopRepeating(loop: AgentLoop): Promise<LoopEnd | undefined> {
  const { counters } = loop;
  const end = await stopOrAsk(loop, 'max_iterations', () => repeatsReached(counters));
  if (end === undefined) delete counters.repeat;
  return end;
}

async function stopOrAsk(
  loop: AgentLoop,
  limit: StopReason,
  reached: () => ReachedLimit,
): Promise<LoopEnd | undefined> {
  const after =
    loop.manifest.onLimit === 'ask' ? await askAtLimit(loop, reached()) : { type: 'stop' as const };
  if (after.type === 'continue') return undefined;
  if (loop.background.isOpen) await backgroundOver(loop);
  return after.type === 'answer' ? endWith(loop, after.output, 'final_answer') : stopped(loop, limit);
}

/** Makes the answer at a limit: a fixed sentence, or the model's answer from the steps so far, if there are steps and some budget is left. */
async function stopped(loop: AgentLoop, limit: StopReason): Promise<LoopEnd> {
  const { manifest, counters } = loop;
  const message = () => endWith(loop, stopMessage(manifest, counters, limit), limit);
  const mayGenerate = manifest.earlyStopping === 'generate' && !isUsedUp(manifest, counters);
  if (!mayGenerate || counters.iterations === 0) return message();
  const { decision } = (await planClosing(loop)) ?? {};
  if (decision === undefined) return message();
  if (decision.type === 'fail') throw runFailure(decision.error);
  if (decision.type !== 'finish') return message();
  return endWith(loop, decision.output, limit, '', decision.truncated);
}

/** A person's decision at a limit. */
type AfterLimit = { type: 'continue' } | { type: 'answer'; output: Json } | { type: 'stop' };

/**
 * Waits at a limit, before the next model call, until a person raises the limit, gives the answer, or stops the run. Throws when a person
 * fails the run, or if no person decides in time.
 */
async function askAtLimit(loop: AgentLoop, reached: ReachedLimit): Promise<AfterLimit> {
  const { manifest, background, deadline, done } = loop;
  loop.limitReached = reached;
  background.settle({ overdue: deadline.passed, isCancelling: false, done });
  try {
    return await withModelCall(loop, { outputSchema: manifest.output }, async (open) => {
      await open.wait(
        { reason: 'limit', figure: reached.figure, done: [] },
        { timeout: askTimeoutOf(manifest, undefined), endsWhen: () => loop.limitReached === undefined },
      );
      return loop.limitReached === undefined ? { type: 'continue' } : afterWait(open.now.last);
    });
  } finally {
    loop.limitReached = undefined;
  }
}

function afterWait(last: Ending | undefined): AfterLimit {
  switch (last?.type) {
    case 'replied':
      return { type: 'answer', output: last.reply };
    case 'aborted':
      throw runFailure(last.error);
    case 'unanswered': {
      const after = unanswered(last.timeout, { tool: 'the model call', reason: 'limit' });
      if (after.type === 'fail') throw runFailure(after.error);
      return { type: 'stop' };
    }
    default:
      return { type: 'stop' };
  }
}
