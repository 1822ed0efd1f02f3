import { isCancellation } from '@temporalio/workflow';
import type { CallEnd } from '../../agent/rules/call-rules.ts';
import { type OperatorDecision, effectOf } from '../../agent/rules/decisions.ts';
import type { Doubt } from '../../agent/rules/doubt.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { askUntil } from './ask.ts';
import { endOfAttempt, runFailure } from '../temporal/run-failure.ts';
import { type Schedule, endOfCancelled } from './schedule-once.ts';

/** `over`: the attempt must have ended, or a person knows that it is dead. `cut`: the run's time limit came first. */
type Awaited = { type: 'over' | 'cut' } | { type: 'end'; end: CallEnd };

/**
 * Waits until a lost attempt must have ended. A person may say sooner that it is dead, or end the call. Throws when the run is
 * aborted or cancelled.
 */
export async function lostAttemptOver(
  loop: AgentLoop,
  { tool, open, input }: Schedule,
  { error }: Doubt,
  until: number,
): Promise<Awaited> {
  const question = { tool: tool.name, toolInput: input, reason: 'doubt', error, until } as const;
  let decision: OperatorDecision | undefined;
  try {
    decision = await loop.deadline.within(open.scope, () => askUntil(loop, open, question));
  } catch (caught) {
    const failure = endOfAttempt(caught);
    if (!isCancellation(failure)) throw failure;
    endOfCancelled(loop, open, failure);
    return { type: 'cut' };
  }
  const effect = decision === undefined ? undefined : effectOf(decision, error);
  if (effect?.type === 'fail') throw runFailure(effect.error);
  if (effect?.type !== 'end') return { type: 'over' };
  return { type: 'end', end: { observation: effect.observation, fromTool: effect.fromTool } };
}
