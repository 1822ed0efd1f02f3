import { askTimeoutOf, unanswered } from '../agent/rules/ask-timeout.ts';
import { effectOf } from '../agent/rules/decisions.ts';
import { type ReachedLimit, limitError } from '../agent/rules/run-limits.ts';
import type { Json } from '../agent/vocabulary.ts';
import { type AgentLoop, callId, recordsWaits } from './agent-loop.ts';
import { ask } from './ask.ts';
import { runFailure } from './run-failure.ts';

/** What a person makes of a run that has come to a limit. */
export type AfterLimit = { type: 'go on' } | { type: 'answer'; output: Json } | { type: 'stop' };

/** An agent's waits at its limits: what `extend` needs to know of them, and ends. */
export class LimitWait {
  #reached: ReachedLimit | undefined;
  #call = '';
  #parks = 0;

  /** The limit at which the agent waits now. */
  get reached(): ReachedLimit | undefined {
    return this.#reached;
  }

  /** How often it has waited before this model call: the call's first schedule comes after these waits. */
  parks(call: string): number {
    return call === this.#call ? this.#parks : 0;
  }

  begin(call: string, reached: ReachedLimit): void {
    this.#parks = this.parks(call) + 1;
    this.#call = call;
    this.#reached = reached;
  }

  end(): void {
    this.#reached = undefined;
  }
}

/** Waits where the model would be asked next: until a person raises the limit, gives the answer, or has the run stop or fail. */
export async function askAtLimit(loop: AgentLoop, reached: ReachedLimit): Promise<AfterLimit> {
  const { control, manifest, deadline, emit, limitWait } = loop;
  const id = callId(loop);
  const n = limitWait.parks(id);
  const open = control.open({
    id,
    n,
    kind: 'model',
    recordsWaits: recordsWaits(manifest),
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
