import { ApplicationFailure } from '@temporalio/activity';
import type { CallModelInput, ModelTurn } from '../agent/calls.ts';
import { decide } from '../agent/decide.ts';
import { utf8Length } from '../agent/digest.ts';
import type { AgentKind } from '../agent/kind.ts';
import { limits } from '../agent/limits.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { renderRequest, requestDigest } from '../agent/request.ts';
import { stopCutter } from '../agent/stop.ts';
import { conversation } from '../agent/transcript.ts';
import type { Model, ModelReply } from '../models/model.ts';
import { type Attempt, type AttemptPolicy, runAttempt } from './attempt.ts';
import type { Dependencies } from './dependencies.ts';
import { judge } from './errors.ts';
import type { Transcripts } from './transcripts.ts';

/** Text of a reply under way that heartbeats show. */
const SHOWN_CHARS = 32_000;

/** Renders the prompt, asks the model, reads the reply: all that a parser or prompt fix may change without breaking a replay. */
export function createCallModel(dependencies: Dependencies, transcripts: Transcripts) {
  return async (input: CallModelInput): Promise<ModelTurn> => {
    let policy = beforeManifest;
    return runAttempt(
      () => policy,
      async (attempt) => {
        const { entries } = await transcripts.open(attempt.context, input);
        const talk = conversation(entries);
        const { manifest } = talk;
        policy = policyOf(manifest);

        const request = renderRequest(kindOf(dependencies, manifest), talk);
        const model = modelOf(dependencies, manifest);
        const reply = shorten(
          await model.call(request, {
            signal: attempt.signal,
            onText: showText(attempt, manifest.stop),
            step: attempt.context.info.activityId.replace(/~\d+$/u, ''),
            runId: attempt.context.info.workflowExecution?.runId ?? '',
          }),
        );

        const { text, decision } = decide(kindOf(dependencies, manifest), manifest, reply);
        return {
          text,
          ...(reply.toolCalls.length === 0 ? {} : { toolCalls: reply.toolCalls }),
          decision,
          finishReason: reply.finishReason,
          usage: { ...reply.usage, modelCalls: 1 },
          ...(reply.warnings === undefined ? {} : { warnings: reply.warnings }),
          request: requestDigest(request),
        };
      },
    );
  };
}

/** Until the transcript is there, which names the agent. */
const beforeManifest: AttemptPolicy = {
  retry: { maxAttempts: 10, initialMs: 500, backoff: 2, maximumMs: 10_000 },
  timeoutMs: 10 * 60_000,
  judge,
};

function policyOf({ modelRetry, params }: AgentManifest): AttemptPolicy {
  return { retry: modelRetry, timeoutMs: params.requestTimeoutMs, judge };
}

export function modelOf({ models }: Dependencies, { adapter, name }: AgentManifest): Model {
  const model = models.get(adapter);
  if (model !== undefined) return model;
  throw missing('ModelNotConfigured', `Agent "${name}" was started with the model "${adapter}"`, [
    ...models.keys(),
  ]);
}

function kindOf({ kinds }: Dependencies, { kind, name }: AgentManifest): AgentKind {
  const found = kinds.get(kind);
  if (found !== undefined) return found;
  throw missing('KindNotConfigured', `Agent "${name}" was started as kind "${kind}"`, [...kinds.keys()]);
}

function missing(type: string, what: string, known: string[]): ApplicationFailure {
  const message = `${what}, which this worker does not have. It has: ${known.join(', ') || 'none'}.`;
  return ApplicationFailure.create({ type, message });
}

/** Shows what is written, without what a stop string will cut. */
function showText({ heartbeat }: Attempt, stop: string[]): (piece: string) => void {
  const cutter = stopCutter(stop);
  let shown = '';
  return (piece) => {
    shown = (shown + cutter.push(piece)).slice(0, SHOWN_CHARS);
    heartbeat.set({ text: shown });
  };
}

/** A reply too long to be recorded counts as cut by the provider. */
function shorten(reply: ModelReply): ModelReply {
  const { text } = reply;
  if (utf8Length(JSON.stringify(text)) <= limits.replyBytes) return reply;
  let end = Math.min(text.length, limits.replyBytes);
  while (utf8Length(JSON.stringify(text.slice(0, end))) > limits.replyBytes) end = Math.floor(end * 0.8);
  return { ...reply, text: text.slice(0, end), finishReason: 'length' };
}
