import type { AgentModel } from '../../agent/definition/agent-models.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { orAborted } from '../../agent/values/concurrent.ts';
import {
  type Model,
  type ModelCallContext,
  ModelError,
  type ModelReply,
} from '../../adapters/models/model.ts';
import type { ModelRequest } from '../../adapters/models/model.ts';
import { type Attempt, startClock } from '../attempt/attempt.ts';
import { type Dependencies, notConfigured } from '../dependencies.ts';
import { budgetedModel } from '../limits/budgeted-model.ts';
import { limitedModel } from '../limits/limited-model.ts';
import { patientModel } from '../limits/patient-model.ts';
import { checkReply } from './check-reply.ts';

/**
 * A model of the agent, its replies checked, its silence limited, and its requests within the limits and budgets of the config. Throws a
 * retryable failure if this worker does not have the model.
 */
export function modelOf(
  { models, limiter, budgets }: Dependencies,
  manifest: AgentManifest,
  asked: AgentModel,
  attempt: Attempt,
): Model {
  const { adapter } = asked;
  const model = models.get(adapter);
  if (model !== undefined) {
    const checked: Model = {
      call: async (request, context) => checkReply(adapter, await callInTime(model, request, context)),
    };
    // Waits for limits and budgets do not count as silence. A budget is asked last, so that no estimate is kept while a call waits.
    const budgeted = budgetedModel(checked, budgets, asked, manifest, attempt);
    const limited = limitedModel(budgeted, limiter, asked, manifest, attempt);
    return patientModel(limited, manifest, attempt);
  }
  throw notConfigured(
    'ModelNotConfigured',
    `Agent "${manifest.name}" was started with the model "${adapter}"`,
    [...models.keys()],
  );
}

/** Asks a model; a silence of the request's time-out ends the call, even if the model does not mind its signal. */
export async function callInTime(
  model: Model,
  request: ModelRequest,
  { onText, onReasoning, ...call }: ModelCallContext,
): Promise<ModelReply> {
  const silence = new AbortController();
  const clock = startClock(request.params.requestTimeoutMs, (timeoutMs) =>
    silence.abort(silent(request.model)(timeoutMs)),
  );
  const signal = AbortSignal.any([call.signal, silence.signal]);
  const alive = (show: ((piece: string) => void) | undefined) => (piece: string) => {
    clock.restart();
    // A model of the user's own may be in JavaScript; an empty piece is a sign of life and nothing else.
    if (typeof piece === 'string' && piece !== '') show?.(piece);
  };
  const context = { ...call, signal, onText: alive(onText), onReasoning: alive(onReasoning) };
  return orAborted(model.call(request, context), signal).finally(() => clock.stop());
}

export function silent(model: string): (timeoutMs: number) => Error {
  return (timeoutMs) =>
    new ModelError(
      'ModelTimeout',
      `Nothing was heard from the model "${model}" for ${timeoutMs / 1000} s. If it needs longer, raise requestTimeout.`,
      { retryable: true },
    );
}
