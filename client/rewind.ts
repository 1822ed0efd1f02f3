import type { Client } from '@temporalio/client';
import type { Asked, Standing } from '../history/standing.ts';
import { InvalidInput } from './errors.ts';
import { type RestartReceipt, type RunToRestart, replaceRun, runToRestart } from './start-again.ts';
import { beginningAt, restartInput } from './restart-input.ts';

export interface RewindOptions {
  /** The first step that is done anew; those before it are kept, and not paid again. */
  step: number;
}

/**
 * Takes a run back to before a step: a new run of the same id takes its place, whether it is running or over. Needs no worker.
 * Throws InvalidInput for a step that it does not have, DecisionRefused where somebody else was first.
 */
export async function rewind(client: Client, id: string, { step }: RewindOptions): Promise<RestartReceipt> {
  const run = await runToRestart(client, id, 'rewind');
  const asked = askedAt('rewind', run, step);
  return replaceRun(client, run, await restartInput(client, run, { by: 'rewind', step }, beginningAt(asked)));
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
