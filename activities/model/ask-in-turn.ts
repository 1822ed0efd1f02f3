import { TemporalFailure } from '@temporalio/common';
import { type AgentModel, modelWords, modelsOf } from '../../agent/definition/agent-models.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { boundedText, finiteMs, fieldOf } from '../../agent/values/values.ts';
import { failureType, fallbackTypes } from '../../adapters/models/failure-types.ts';
import { ModelError, type ModelErrorType } from '../../adapters/models/model.ts';

/** Characters of a failure's message in a sentence about several models. */
const SAID_CHARS = 1_000;

/** An answer, and the model that gave it. */
export interface AnswerInTurn<T> {
  answer: T;
  by: AgentModel;
  /** A sentence for each model that failed before. */
  warnings: string[];
}

interface FailedModel {
  asked: AgentModel;
  error: unknown;
  type: ModelErrorType;
}

/**
 * Asks the models of an agent in turn, until one answers: after a failure the next model that takes over failures of this type.
 * `from`: number of the first model to ask. Throws the model's error if only one was asked, otherwise one error about all of them.
 */
export async function askInTurn<T>(
  manifest: Pick<AgentManifest, 'adapter' | 'model' | 'price' | 'fallbacks'>,
  signal: AbortSignal,
  ask: (model: AgentModel, number: number) => Promise<T>,
  from = 0,
): Promise<AnswerInTurn<T>> {
  const models = modelsOf(manifest);
  const failed: FailedModel[] = [];
  for (const [number, asked] of models.entries()) {
    const last = failed.at(-1);
    if (number < from || (last !== undefined && !takesOver(asked, last))) continue;
    try {
      const answer = await ask(asked, number);
      return { answer, by: asked, warnings: failed.map((model) => fallbackWarning(model, asked)) };
    } catch (error) {
      // The model did not fail: the call was cancelled, it waits for the model's limits, or this worker does not have the model.
      if (signal.aborted || error instanceof TemporalFailure) throw error;
      failed.push({ asked, error, type: failureType(error) });
    }
  }
  throw failureOfAll(failed);
}

/** True if a model takes over this failure. Without a list of types, that includes a model that lacks what the request needs. */
function takesOver(
  { on }: AgentModel & { on?: readonly string[] | undefined },
  { type, error }: FailedModel,
): boolean {
  if (on !== undefined) return on.includes(type);
  return fallbackTypes.includes(type) || fieldOf(error, 'lacksFeature') === true;
}

function fallbackWarning(model: FailedModel, answered: AgentModel): string {
  return `${sentenceOf(model)} So ${modelWords(answered)} was asked.`;
}

function sentenceOf({ asked, error, type }: FailedModel): string {
  const said = boundedText(fieldOf(error, 'message') ?? error, SAID_CHARS).replace(/[.\s]*$/u, '.');
  return `${modelWords(asked)} failed (${type}): ${said}`;
}

/** Another attempt may help if one of the models may answer the next time. */
function failureOfAll(failed: readonly FailedModel[]): unknown {
  const [first] = failed;
  if (first === undefined || failed.length === 1) return first?.error;
  const passing = failed.filter(({ error }) => fieldOf(error, 'retryable') !== false);
  const { type, error: cause } = passing[0] ?? first;
  const waits = passing.map(({ error }) => finiteMs(fieldOf(error, 'retryAfterMs')) ?? 0);
  return new ModelError(type, `No model answered. ${failed.map(sentenceOf).join(' ')}`, {
    retryable: passing.length > 0,
    retryAfterMs: waits.length === 0 ? undefined : Math.min(...waits),
    heldBack: failed.every(({ error }) => fieldOf(error, 'heldBack') === true),
    cause,
  });
}
