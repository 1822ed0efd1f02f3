import type { StartOptions } from '../start/start-options.ts';
import type { RunResultWithSteps } from '../report.ts';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import type { Input } from '../start/read-input.ts';
import { InvalidInput } from '../connect/errors.ts';

/** A question, or a question with its own start options, which win over the batch's. */
export type BatchInput = Input | ({ input: Input } & StartOptions);

export interface BatchOptions extends StartOptions {
  /** Runs under way at the same time. Default 4. */
  concurrency?: number | undefined;
  /** Run n is called `ID-n`, from 1: the same batch started again continues where it was. Default: ids by chance. */
  id?: string | undefined;
}

/** The part of a client that a batch needs. */
export interface BatchRunner {
  run(agent: string, input: Input, options: StartOptions): Promise<RunResultWithSteps>;
}

/**
 * Runs an agent on many inputs, a few at a time. Results come in the order of the inputs; a run that fails is a
 * rejection in its place (AgentRunFailed, AgentRunCancelled, InvalidInput) and the others continue. A run that waits
 * for a person keeps its place among the concurrent ones. Throws InvalidInput for a concurrency below 1.
 */
export async function runBatch(
  client: BatchRunner,
  agent: string,
  inputs: readonly BatchInput[],
  { concurrency = 4, id, ...common }: BatchOptions = {},
): Promise<PromiseSettledResult<RunResultWithSteps>[]> {
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new InvalidInput(`concurrency is ${concurrency}; give a whole number, 1 or more.`);

  return aFewAtATime(inputs, concurrency, async (item, index) => {
    const { input, ...own } = isOnlyInput(item) ? { input: item } : item;
    const [result] = await Promise.allSettled([
      client.run(agent, input, { ...common, ...own, id: own.id ?? (id && `${id}-${index + 1}`) }),
    ]);
    return result;
  });
}

function isOnlyInput(item: BatchInput): item is Input {
  return typeof item === 'string' || Array.isArray(item);
}
