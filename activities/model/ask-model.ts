import type { AgentKind, PromptContext } from '../../agent/definition/kind.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { stopCutter } from '../../agent/reply/stop.ts';
import { type ModelRequest, renderRequest } from '../../agent/transcript/request.ts';
import { shortenOldest } from '../../agent/transcript/shorten.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { type Model, type ModelCallContext, ModelError, type ModelReply } from '../../models/model.ts';
import { orAborted } from '../../agent/values/concurrent.ts';
import { type Attempt, type AttemptPolicy, startClock } from '../attempt/attempt.ts';
import { checkReply } from './check-reply.ts';
import { type Dependencies, notConfigured } from '../dependencies.ts';
import { classifyError } from '../attempt/errors.ts';
import { limitedModel } from '../limits/limited-model.ts';
import { runUserCode } from '../attempt/user-code.ts';
import { type StoredImages, hasImages } from './stored-images.ts';
import type { CachedReply } from '../reply-cache.ts';
import { withoutSchedule } from '../../agent/calls/calls.ts';

/** Text of a reply under way that heartbeats show. */
const SHOWN_CHARS = 32_000;
const THOUGHT_CHARS = 4_000;

export interface ModelExchange extends CachedReply {
  request: ModelRequest;
  shortened: boolean;
}

/** Asks the agent's model with a rendered prompt. A context that is too long for it is shortened and tried again, once. */
export async function askModel(
  dependencies: Dependencies,
  kind: AgentKind,
  context: PromptContext,
  attempt: Attempt,
  images: StoredImages,
): Promise<ModelExchange> {
  const { manifest } = context;
  const ask = asker(dependencies, manifest, attempt, images);
  const request = render(kind, context);
  try {
    return { request, ...(await ask(request)), shortened: false };
  } catch (error) {
    // By fields: a model of the user's own may bring another copy of the class.
    const isTooLong = fieldOf(error, 'type') === 'ModelContextTooLong';
    const shorter = isTooLong ? shortenOldest(context) : undefined;
    if (shorter === undefined) throw error;
    const again = render(kind, shorter);
    return { request: again, ...(await ask(again)), shortened: true };
  }
}

/** A person's reply in place of the model's: no model is asked, and the turn costs nothing. */
export function personsReply(kind: AgentKind, context: PromptContext, text: string): ModelExchange {
  const reply = checkReply('a person', { text, toolCalls: [], finishReason: 'stop' });
  return { request: render(kind, context), reply, modelCalls: 0, shortened: false };
}

function render(kind: AgentKind, context: PromptContext): ModelRequest {
  return runUserCode(context.manifest, () => renderRequest(kind, context));
}

/**
 * Retry policy of an agent's model calls. The time-out counts silence, and is kept here for every model: see {@link
 * withActivityTimer}.
 */
export function modelPolicy({ modelRetry, params, model }: AgentManifest): AttemptPolicy {
  return {
    retry: modelRetry,
    timeoutMs: params.requestTimeoutMs,
    timedOut: silent(model),
    classify(error) {
      const classified = classifyError(error);
      // Only a person can say whether the call killed its workers.
      return classified.type === 'WorkerDied' ? { ...classified, mayPass: true } : classified;
    },
  };
}

/** The `onText` that a model is given: every piece is a sign of life; a piece with text goes to `show`. */
export function withActivityTimer(
  { clock }: Attempt,
  show: (piece: string) => void,
): (piece: string) => void {
  return (piece) => {
    clock.restart();
    // A model of the user's own may be in JavaScript; an empty piece is a sign of life and nothing else.
    if (typeof piece === 'string' && piece !== '') show(piece);
  };
}

/** Asks a model from within a tool, whose own time-out continues: silence ends this call as it ends a turn's. */
export async function askWithin(
  signal: AbortSignal,
  model: Model,
  request: ModelRequest,
  call: Pick<ModelCallContext, 'step' | 'runId'>,
): Promise<ModelReply> {
  const silence = new AbortController();
  const clock = startClock(request.params.requestTimeoutMs, (timeoutMs) =>
    silence.abort(silent(request.model)(timeoutMs)),
  );
  const either = AbortSignal.any([signal, silence.signal]);
  const onPiece = () => clock.restart();
  const context = { ...call, signal: either, onText: onPiece, onReasoning: onPiece };
  return orAborted(model.call(request, context), either).finally(() => clock.stop());
}

/** The agent's model, within its limits, its replies checked. Throws a retryable failure where this worker has none of that name. */
export function modelOf({ models, limiter }: Dependencies, manifest: AgentManifest, attempt: Attempt): Model {
  const { adapter, name } = manifest;
  const known = models.get(adapter);
  if (known !== undefined) {
    const model = limitedModel(known, limiter, manifest, attempt);
    return { call: async (request, context) => checkReply(adapter, await model.call(request, context)) };
  }
  throw notConfigured('ModelNotConfigured', `Agent "${name}" was started with the model "${adapter}"`, [
    ...models.keys(),
  ]);
}

/** Asks the agent's model, or the worker's cache of replies. */
function asker(
  dependencies: Dependencies,
  manifest: AgentManifest,
  attempt: Attempt,
  images: StoredImages,
): (request: ModelRequest) => Promise<CachedReply> {
  const model = modelOf(dependencies, manifest, attempt);
  const { info } = attempt.context;
  return async (rendered) => {
    const request = hasImages(rendered) ? await images.withData(attempt.context, rendered) : rendered;
    attempt.clock.restart(manifest.params.requestTimeoutMs);
    const context = {
      signal: attempt.signal,
      onText: withActivityTimer(attempt, showText(attempt, request.stop)),
      onReasoning: withActivityTimer(attempt, showReasoning(attempt)),
      step: withoutSchedule(info.activityId),
      runId: info.workflowExecution?.runId ?? '',
    };
    const { replies } = dependencies;
    if (replies !== undefined) {
      const { reply, modelCalls } = await replies(manifest.adapter, model, request, context);
      // The store may be the user's.
      return { reply: checkReply(manifest.adapter, reply), modelCalls };
    }
    return { reply: await model.call(request, context), modelCalls: 1 };
  };
}

function silent(model: string): (timeoutMs: number) => Error {
  return (timeoutMs) =>
    new ModelError(
      'ModelTimeout',
      `Nothing was heard from the model "${model}" for ${timeoutMs / 1000} s. If it needs longer, raise requestTimeout.`,
      { retryable: true },
    );
}

/** Shows the end of the reasoning, which may be much longer than the reply. */
function showReasoning({ heartbeat }: Attempt): (piece: string) => void {
  let shown = '';
  return (piece) => {
    shown = (shown + piece).slice(-THOUGHT_CHARS);
    heartbeat.set({ reasoning: shown });
  };
}

/** Shows the reply's text, without the part that a stop string will cut. */
function showText({ heartbeat }: Attempt, stop: string[]): (piece: string) => void {
  const cutter = stopCutter(stop);
  let shown = '';
  return (piece) => {
    if (shown.length >= SHOWN_CHARS) return;
    shown = (shown + cutter.push(piece)).slice(0, SHOWN_CHARS);
    heartbeat.set({ text: shown });
  };
}
