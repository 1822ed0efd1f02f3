import type { AgentKind, PromptContext } from '../../agent/definition/kind.ts';
import type { HookChange } from '../../agent/definition/hooks.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { MODEL_LIMIT } from '../../agent/model-limits/lease-request.ts';
import { stopCutter } from '../../agent/reply/stop.ts';
import { type ModelRequest, hasMedia, renderRequest } from '../../agent/transcript/request.ts';
import { shortenOldest } from '../../agent/transcript/shorten.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { type AgentModel, modelsOf } from '../../agent/definition/agent-models.ts';
import { limits } from '../../agent/values/limits.ts';
import type { Attempt, AttemptPolicy } from '../attempt/attempt.ts';
import { type CallHooks, callHooks } from '../hooks/run-hook.ts';
import { askInTurn } from './ask-in-turn.ts';
import { checkReply } from './check-reply.ts';
import { betweenHooks } from './model-hooks.ts';
import { modelOf, silent } from './model-of.ts';
import type { Dependencies } from '../dependencies.ts';
import { classifyError } from '../attempt/errors.ts';
import { runUserCode } from '../attempt/user-code.ts';
import type { StoredMedia } from './stored-media.ts';
import type { CachedReply } from '../reply-cache.ts';
import { withoutSchedule } from '../../agent/calls/calls.ts';

/** Text of a reply under way that heartbeats show. */
const SHOWN_CHARS = 32_000;

export interface ModelExchange extends CachedReply {
  /** The request that the kind renders: a later reader can render it again. */
  request: ModelRequest;
  /** The model that answered. */
  by: AgentModel;
  shortened: boolean;
  /** Changes that the config's hooks made to the request and to the reply. */
  changes?: HookChange[];
}

/** Makes the request of a conversation: for the next turn, or for a summary. */
type Renderer = (kind: AgentKind, context: PromptContext) => ModelRequest;

/** Asks the agent's model with a rendered prompt. A context that is too long for it is shortened and tried again, once. */
export async function askModel(
  dependencies: Dependencies,
  kind: AgentKind,
  context: PromptContext,
  attempt: Attempt,
  media: StoredMedia,
  renderer: Renderer = renderRequest,
): Promise<ModelExchange> {
  const { manifest } = context;
  const hooks = callHooks(dependencies, manifest, attempt, manifest.modelRetry);
  // The text of a summary is not shown as the run's own while the model writes, and no text that a hook may still change.
  const isShown = renderer === renderRequest && hooks?.hooks.afterModel === undefined;
  const ask = asker(dependencies, manifest, attempt, media, { isShown, hooks });
  const render = (shown: PromptContext) => runUserCode(manifest, () => renderer(kind, shown));
  const request = render(context);
  try {
    return { request, ...(await ask(request)), shortened: false };
  } catch (error) {
    // The check reads fields: a custom model may bring another copy of the class.
    const isTooLong = fieldOf(error, 'type') === 'ModelContextTooLong';
    const shorter = isTooLong ? shortenOldest(context) : undefined;
    if (shorter === undefined) throw error;
    const again = render(shorter);
    return { request: again, ...(await ask(again)), shortened: true };
  }
}

/** A person's reply in place of the model's: no model is asked, and the turn costs nothing. */
export function personsReply(
  kind: AgentKind,
  context: PromptContext,
  text: string,
  renderer: Renderer = renderRequest,
): ModelExchange {
  const reply = checkReply('a person', { text, toolCalls: [], finishReason: 'stop' });
  const [by] = modelsOf(context.manifest);
  const request = runUserCode(context.manifest, () => renderer(kind, context));
  return { request, reply, by, modelCalls: 0, shortened: false };
}

/** Retry policy of an agent's model calls. While a model is asked, {@link modelOf} keeps the time. */
export function modelPolicy({ modelRetry, params, model, holdsBack }: AgentManifest): AttemptPolicy {
  return {
    retry: modelRetry,
    timeoutMs: params.requestTimeoutMs,
    timedOut: silent(model),
    classify: classifyError,
    holdsBack,
  };
}

/** Asks the agent's models in turn; each of them, or the worker's cache of its replies. */
function asker(
  dependencies: Dependencies,
  manifest: AgentManifest,
  attempt: Attempt,
  media: StoredMedia,
  { isShown, hooks }: { isShown: boolean; hooks: CallHooks | undefined },
): (request: ModelRequest) => Promise<Omit<ModelExchange, 'request' | 'shortened'>> {
  const { clock, context, heartbeat, signal } = attempt;
  const { replies } = dependencies;
  const askAll = async (sent: ModelRequest) => {
    const filled = hasMedia(sent) ? await media.withData(context, sent) : sent;
    const ask = async (by: AgentModel, number: number): Promise<CachedReply> => {
      // The next attempt starts with this model, if the worker dies; and no text of another request stays.
      if (number > 0) heartbeat.set({ model: number });
      if (hasText(heartbeat)) heartbeat.set({ text: '', reasoning: '', reasoningFrom: undefined });
      const model = modelOf(dependencies, manifest, by, attempt);
      const request = { ...filled, model: by.model };
      const call = {
        signal,
        onText: isShown ? showText(attempt, request.stop) : () => undefined,
        onReasoning: isShown ? showReasoning(attempt) : () => undefined,
        step: withoutSchedule(context.info.activityId),
        runId: context.info.workflowExecution?.runId ?? '',
      };
      if (replies === undefined) return { reply: await model.call(request, call), modelCalls: 1 };
      const { reply, modelCalls } = await replies(by.adapter, model, request, call);
      // The store may be the user's.
      return { reply: checkReply(by.adapter, reply), modelCalls };
    };
    const { answer, by, warnings } = await askInTurn(manifest, signal, ask, heartbeat.record.model);
    return { ...withWarnings(answer, warnings), by };
  };
  return async (rendered) => {
    clock.restart(limits.timerMs); // each model and each hook has its own time
    try {
      return await betweenHooks(hooks, rendered, askAll);
    } catch (error) {
      // A call that waits for the limits of a model comes back to this model.
      const isWait = fieldOf(error, 'type') === MODEL_LIMIT;
      if (!signal.aborted && !isWait) heartbeat.set({ model: undefined });
      throw error;
    } finally {
      clock.restart(manifest.params.requestTimeoutMs);
    }
  };
}

function withWarnings({ reply, modelCalls }: CachedReply, more: readonly string[]): CachedReply {
  if (more.length === 0) return { reply, modelCalls };
  return { reply: { ...reply, warnings: [...(reply.warnings ?? []), ...more] }, modelCalls };
}

function hasText({ record: { text = '', reasoning = '' } }: Attempt['heartbeat']): boolean {
  return text !== '' || reasoning !== '';
}

/** Shows the end of the reasoning, which may be much longer than the reply. */
function showReasoning({ heartbeat }: Attempt): (piece: string) => void {
  let shown = '';
  let before = 0;
  return (piece) => {
    const thought = shown + piece;
    shown = thought.slice(-limits.shownReasoningChars);
    before += thought.length - shown.length;
    heartbeat.set({ reasoning: shown, ...(before > 0 && { reasoningFrom: before }) });
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
