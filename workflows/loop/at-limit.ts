import { askTimeoutOf, unanswered } from '../../agent/rules/waiting.ts';
import { effectOf } from '../../agent/rules/decisions.ts';
import { type ReachedLimit, limitError } from '../../agent/limits/run-limits.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { type AgentLoop, callId } from '../run/agent-loop.ts';
import { ask } from '../call/ask.ts';
import { runFailure } from '../temporal/run-failure.ts';

/** What a person makes of a run that has come to a limit. */
export type AfterLimit = { type: 'go on' } | { type: 'answer'; output: Json } | { type: 'stop' };

/** Waits where the model would be asked next: until a person raises the limit, gives the answer, or has the run stop or fail. */
export async function askAtLimit(loop: AgentLoop, reached: ReachedLimit): Promise<AfterLimit> {
  const { control, manifest, deadline, emit, limitWait } = loop;
  const id = callId(loop);
  const open = control.open({
    id,
    firstN: loop.firstN + limitWait.waits(id),
    kind: 'model',
    outputSchema: manifest.output,
    clock: deadline,
    emit,
  });
  limitWait.begin(id, reached);
  const timeout = askTimeoutOf(manifest, undefined);
  try {
    const decision = await ask(loop, open, {
      tool: 'callModel',
      toolInput: null,
      reason: 'limit',
      error: limitError(reached.figure),
      figure: reached.figure,
      timeout,
      endsWhen: () => limitWait.reached === undefined,
    });
    if (limitWait.reached === undefined) return { type: 'go on' };
    if (decision === undefined) {
      const next = timeout && unanswered(timeout, { tool: 'callModel', reason: 'limit' });
      if (next?.type === 'fail') throw runFailure(next.error);
      return { type: 'stop' };
    }
    const effect = effectOf(decision);
    if (effect.type === 'fail') throw runFailure(effect.error);
    return effect.type === 'end' ? { type: 'answer', output: effect.observation } : { type: 'stop' };
  } finally {
    limitWait.end();
    control.close(open);
  }
}
