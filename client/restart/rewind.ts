import type { Client } from '@temporalio/client';
import { InvalidInput } from '../connect/errors.ts';
import { isOpen } from '../../history/list/listed.ts';
import { isNoWorkflow } from '../../history/read/pages.ts';
import {
  type RecordedModelCall,
  type RestartRecord,
  pointBefore,
  withLateResults,
} from '../../history/views/restart-point.ts';
import { updateRun } from '../connect/update-run.ts';
import { type RestartReceipt, type RunToRestart, restartRun, runToRestart } from './restart-run.ts';
import { restartInput } from './restart-input.ts';
import type { RunMessageReceipt } from '../../agent/rules/run-messages.ts';

export interface RewindOptions {
  /** The first step that is done again. Earlier steps are kept, and not paid again. */
  step: number;
}

/**
 * Takes a run back to before a step. An open run rewinds itself, and needs a worker for that. A closed run starts again under its id.
 * Throws InvalidInput if the run does not have the step, DecisionRefused if the run cannot go back.
 */
export async function rewind(client: Client, id: string, { step }: RewindOptions): Promise<RestartReceipt> {
  const run = await runToRestart(client, id, 'rewind');
  const modelCall = modelCallAt('rewind', run, step);
  if (isOpen(run.status)) {
    try {
      await updateRun<RunMessageReceipt>(client, client.workflow.getHandle(id), 'rewind', { step });
      return { id, runId: run.runId, step };
    } catch (error) {
      // The run has ended meanwhile.
      if (isNoWorkflow(error)) return rewind(client, id, { step });
      throw error;
    }
  }
  const point = withLateResults(pointBefore(modelCall), run.record, modelCall);
  return restartRun(client, run, await restartInput(client, run, { by: 'rewind', step }, point));
}

/** Finds the model call of a step. Throws InvalidInput for a step that the run does not have. */
export function modelCallAt(verb: string, { id, record }: RunToRestart, step: number): RecordedModelCall {
  if (!Number.isInteger(step)) {
    throw new InvalidInput(
      `${verb}: ${String(step)} is not a step. A step is a whole number, the first one is 1. ${stepsText(record)}`,
    );
  }
  const modelCall = record.modelCalls.find((other) => other.step === step);
  if (modelCall !== undefined && record.manifest !== undefined) return modelCall;
  const expired = record.isWhole ? '' : ' Its earlier steps are past the retention of the namespace.';
  throw new InvalidInput(`${verb}: run ${id} has no step ${step}. ${stepsText(record)}${expired}`);
}

function stepsText({ modelCalls }: RestartRecord): string {
  const steps = modelCalls.map(({ step }) => step);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return 'It has not taken a step yet.';
  const isRow = steps.length === last - first + 1 && steps.length > 5;
  return `Its steps: ${isRow ? `${first} to ${last}` : steps.join(', ')}.`;
}
