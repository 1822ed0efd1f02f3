import type { Client } from '@temporalio/client';
import type { Standing } from '../../history/views/restart-point.ts';
import { InvalidInput } from '../connect/errors.ts';
import { isOpen } from '../../history/list/listed.ts';
import { type Asked, beginningAt } from '../../history/views/restart-point.ts';
import type { RunMessageReceipt } from '../../workflows/messages.ts';
import { updateRun } from '../connect/update-run.ts';
import { type RestartReceipt, type RunToRestart, beginAgain, runToRestart } from './begin-again.ts';
import { restartInput } from './restart-input.ts';

export interface RewindOptions {
  /** The first step that is done anew; those before it are kept, and not paid again. */
  step: number;
}

/**
 * Takes a run back to before a step. A run that goes on rewinds itself, and needs a worker for that; a run that is over begins
 * again under its id. Throws InvalidInput for a step that it does not have, DecisionRefused where it cannot go back.
 */
export async function rewind(client: Client, id: string, { step }: RewindOptions): Promise<RestartReceipt> {
  const run = await runToRestart(client, id, 'rewind');
  const asked = askedAt('rewind', run, step);
  if (isOpen(run.status)) {
    await updateRun<RunMessageReceipt>(client, client.workflow.getHandle(id), 'rewind', { step });
    return { id, runId: run.runId, step };
  }
  return beginAgain(client, run, await restartInput(client, run, { by: 'rewind', step }, beginningAt(asked)));
}

/** Throws InvalidInput. */
export function askedAt(verb: string, { id, standing }: RunToRestart, step: number): Asked {
  if (!Number.isInteger(step)) {
    throw new InvalidInput(
      `${verb}: ${String(step)} is no step. A step is a whole number, the first one is 1. ${which(standing)}`,
    );
  }
  const asked = standing.asked.find((one) => one.step === step);
  if (asked !== undefined && standing.manifest !== undefined) return asked;
  const gone = standing.isWhole ? '' : ' Its earlier steps are past the retention of the namespace.';
  throw new InvalidInput(`${verb}: run ${id} has no step ${step}. ${which(standing)}${gone}`);
}

function which({ asked }: Standing): string {
  const steps = asked.map(({ step }) => step);
  const [first, last] = [steps[0], steps.at(-1)];
  if (first === undefined || last === undefined) return 'It has not taken a step yet.';
  const isRow = steps.length === last - first + 1 && steps.length > 5;
  return `Its steps: ${isRow ? `${first} to ${last}` : steps.join(', ')}.`;
}
