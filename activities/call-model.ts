import { ApplicationFailure } from '@temporalio/activity';
import type { CallModelInput, ModelTurn, TurnDecision } from '../agent/calls.ts';
import { type ReplyReader, decide } from '../agent/reply/decide.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import type { AgentKind, PromptContext } from '../agent/kinds/kind.ts';
import { limits } from '../agent/limits.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { capOutput } from '../agent/output.ts';
import { limitRepeats } from '../agent/reply/repeats.ts';
import { type ModelRequest, renderRequest, requestDigest } from '../agent/transcript/request.ts';
import { shortenOldest } from '../agent/transcript/shorten.ts';
import { stopCutter } from '../agent/reply/stop.ts';
import { conversation } from '../agent/transcript/entries.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Model, ModelError, ModelReply } from '../models/model.ts';
import { type Attempt, type AttemptPolicy, laterAttempt, runAttempt } from './attempt.ts';
import type { Dependencies } from './dependencies.ts';
import { checkReply } from './check-reply.ts';
import type { CachedReply } from './reply-cache.ts';
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
        const context = conversation(entries, input.closing === true);
        const { manifest } = context;
        policy = policyOf(manifest);

        const kind = kindOf(dependencies, manifest);
        const ask = asker(dependencies, manifest, attempt);
        const asked = await askWithinContext(kind, context, ask);
        const reply = shortenReply(asked.reply);

        const reader = readerOf(dependencies, kind, context);
        const { text, decision: decided } = ownCode(manifest, () => decide(reader, manifest, reply));
        const { decision: limited, repeat } = limitRepeats(decided, manifest.repeatLimit, input.repeat);
        const decision = checkRemoteInputs(dependencies, limited);
        return {
          text,
          ...(reply.toolCalls.length === 0 ? {} : { toolCalls: reply.toolCalls }),
          decision,
          ...(repeat === undefined ? {} : { repeat }),
          finishReason: reply.finishReason,
          usage: { ...reply.usage, modelCalls: asked.modelCalls },
          ...(reply.warnings === undefined ? {} : { warnings: reply.warnings }),
          ...(asked.shortened ? { shortened: true } : {}),
          ...(asked.modelCalls === 0 ? { cached: true } : {}),
          ...laterAttempt(attempt),
          request: requestDigest(asked.request),
        };
      },
    );
  };
}

/** What a kind, a parser or a schema of the user's own throws is a mistake in it: no further paid call mends that. */
function ownCode<T>({ name, kind }: AgentManifest, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApplicationFailure || !(error instanceof Error)) throw error;
    throw ApplicationFailure.create({
      type: error.name,
      message: `Agent "${name}": its kind ${kind}, its parser or its output schema threw: ${error.message}`,
      nonRetryable: true,
      cause: error,
    });
  }
}

interface Asked extends CachedReply {
  request: ModelRequest;
  shortened: boolean;
}

/** A context that is too long for the model is shortened and tried again, once. */
async function askWithinContext(
  kind: AgentKind,
  context: PromptContext,
  ask: (request: ModelRequest) => Promise<CachedReply>,
): Promise<Asked> {
  const render = (shown: PromptContext) => ownCode(context.manifest, () => renderRequest(kind, shown));
  const request = render(context);
  try {
    return { request, ...(await ask(request)), shortened: false };
  } catch (error) {
    const shorter = isContextTooLong(error) ? shortenOldest(context) : undefined;
    if (shorter === undefined) throw error;
    const again = render(shorter);
    return { request: again, ...(await ask(again)), shortened: true };
  }
}

/** By fields: a model of the user's own may bring another copy of the class. */
function isContextTooLong(error: unknown): boolean {
  return error instanceof Error && (error as Partial<ModelError>).type === 'ModelContextTooLong';
}

/** Asks the agent's model, or the worker's cache of what it said before. */
function asker(
  dependencies: Dependencies,
  manifest: AgentManifest,
  attempt: Attempt,
): (request: ModelRequest) => Promise<CachedReply> {
  const model = modelOf(dependencies, manifest);
  const { info } = attempt.context;
  return async (request) => {
    const context = {
      signal: attempt.signal,
      onText: showText(attempt, request.stop),
      step: info.activityId.replace(/~\d+$/u, ''),
      runId: info.workflowExecution?.runId ?? '',
    };
    const { replies } = dependencies;
    if (replies !== undefined) return replies(manifest.adapter, model, request, context);
    return { reply: await model.call(request, context), modelCalls: 1 };
  };
}

function readerOf(
  dependencies: Dependencies,
  kind: AgentKind,
  { manifest, closing }: PromptContext,
): ReplyReader {
  const parse = manifest.parser === true ? dependencies.parser(manifest.name) : kind.parse;
  if (parse === undefined) {
    throw missing('ParserNotConfigured', `Agent "${manifest.name}" was started with a parser of its own`, []);
  }
  const { output } = manifest;
  const check =
    output === undefined ? {} : { checkOutput: (value: Json) => dependencies.checkOutput(manifest, value) };
  return { parse, closing, ...check };
}

/** What another worker runs is checked here: an input that does not fit is told to the model, and nothing is scheduled. */
function checkRemoteInputs({ tools }: Dependencies, decision: TurnDecision): TurnDecision {
  if (decision.type !== 'act') return decision;
  const actions = decision.actions.map((action) => {
    const tool = tools.get(action.tool);
    if (tool?.remote === undefined || action.observation !== undefined) return action;
    try {
      return {
        ...action,
        toolInput: capOutput(tool.parseInput(action.toolInput), Infinity, limits.replyBytes),
      };
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ToolInputError') throw error;
      return { ...action, observation: error.message };
    }
  });
  return { type: 'act', actions };
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
  if (model !== undefined) {
    return { call: async (request, context) => checkReply(adapter, await model.call(request, context)) };
  }
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
function shortenReply(reply: ModelReply): ModelReply {
  const text = cutToBytes(reply.text, limits.replyBytes);
  const share = Math.floor(limits.replyBytes / Math.max(1, reply.toolCalls.length));
  const toolCalls = reply.toolCalls.map((call) => ({
    ...call,
    arguments: cutToBytes(call.arguments, share),
  }));
  const whole =
    text === reply.text &&
    toolCalls.every((call, index) => call.arguments === reply.toolCalls[index]?.arguments);
  if (whole) return reply;
  const warning = `the reply was cut: at most ${limits.replyBytes} bytes of it can be recorded`;
  return {
    ...reply,
    text,
    toolCalls,
    finishReason: 'length',
    warnings: [...(reply.warnings ?? []), warning],
  };
}

/** Bytes are those of the text as JSON. */
function cutToBytes(text: string, bytes: number): string {
  if (utf8Length(JSON.stringify(text)) <= bytes) return text;
  let end = Math.min(text.length, bytes);
  while (utf8Length(JSON.stringify(text.slice(0, end))) > bytes) end = Math.floor(end * 0.8);
  return text.slice(0, end);
}
