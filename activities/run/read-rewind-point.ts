import { ApplicationFailure, Context } from '@temporalio/activity';
import { type EffectsQuestion, lastOfEach } from '../../agent/calls/restart.ts';
import { isOneOfSeveral } from '../../agent/definition/handed-over.ts';
import type { RewindPoint } from '../../agent/run/run-input.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { readEffects } from '../../history/views/effects.ts';
import { pointBefore, readRestartPoint, withLateResults } from '../../history/views/restart-point.ts';
import { readRestartRecord } from '../../history/views/restart-record.ts';
import { withHeartbeat } from '../attempt/heartbeat.ts';

/**
 * Reads, for the run itself, its state before the model call of `step`, and the effects of the steps from there on, and of the background calls
 * `lost`.
 */
export async function rewindPoint(
  question: number | Pick<EffectsQuestion, 'step' | 'lost'>,
): Promise<RewindPoint> {
  const { step, lost } = typeof question === 'number' ? { step: question } : question;
  const { client, info } = Context.current();
  const run = info.workflowExecution;
  if (run === undefined) throw new Error('unreachable: only a workflow rewinds itself');
  return withHeartbeat(async () => {
    const record = await readRestartRecord(client, run);
    const { modelCalls, done, lastN } = record;
    const modelCall = modelCalls.find((other) => other.step === step);
    if (modelCall === undefined) {
      throw invalidInput(
        `Step ${step} of the run is not recorded any more: it is past the namespace's retention.`,
      );
    }
    try {
      const before = withLateResults(pointBefore(modelCall), record, modelCall, { isLive: true });
      const point = await readRestartPoint(client, before, run.workflowId);
      // The run has waited for its sub-agents to end.
      const effects = await readEffects(client, run, { step, again: undefined, lost }, () =>
        Promise.resolve(),
      );
      const { manifest } = modelCall;
      // The run may have another agent already that was not asked yet.
      const agent = manifest !== undefined && isOneOfSeveral(manifest) ? manifest.name : undefined;
      return { ...point, agent, done: lastOfEach([...done, ...effects]), firstN: lastN + 1 };
    } catch (error) {
      throw error instanceof InvalidInput ? invalidInput(error.message) : error;
    }
  });
}

/** No further attempt would find more. */
function invalidInput(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: 'InvalidInput', message, nonRetryable: true });
}
