import { Context } from '@temporalio/activity';
import type { DoneCall, EffectsQuestion } from '../agent/restart.ts';
import { readEffects } from '../history/effects.ts';
import { beating } from './beating.ts';

/** The effects of steps that are dropped, read from the run that made them. */
export async function earlierEffects({ run, step, again }: EffectsQuestion): Promise<DoneCall[]> {
  const { client, info } = Context.current();
  const workflowId = run.workflowId ?? info.workflowExecution?.workflowId ?? '';
  return beating(() => readEffects(client, { workflowId, runId: run.runId }, { step, again }));
}
