import { z } from 'zod/v4';
import { limits } from '../../../agent/values/limits.ts';
import { stopCutter } from '../../../agent/reply/stop.ts';
import {
  type Model,
  type ModelCallContext,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from '../model.ts';
import { callOptions } from './call-options.ts';
import {
  GenerateResult,
  StreamPart,
  StreamResult,
  type VercelLanguageModel,
  knownVersions,
} from './language-model.ts';
import { type ReplyParts, addPiece, addWhole, asReply, countsOf, emptyParts } from './reply-parts.ts';
import { type KnownRepairs, askWithRepairs } from '../repairs.ts';
import { classifyVercelError, refusalInError } from './vercel-errors.ts';

export type { VercelLanguageModel } from './language-model.ts';

export interface VercelModelOptions {
  /** Show the model's reasoning before tool calls to the provider again: 'return' (default) or 'drop'. */
  reasoning?: 'return' | 'drop';
  /**
   * true: marks the system message and the last one for the cache of prompts of Anthropic and Bedrock, which keep only what is marked.
   * Default false.
   */
  cacheControl?: boolean;
}

/**
 * A language model of the AI SDK as a model for agents: `fromVercelModel(anthropic('claude-…'))`. Its own retries are
 * not used: Temporal retries. Throws for a value that is not such a model.
 */
export function fromVercelModel(model: VercelLanguageModel, options: VercelModelOptions = {}): Model {
  const problem = problemOf(model);
  if (problem !== undefined) throw new TypeError(`fromVercelModel: ${problem}`);
  const said = new Set<string>();
  const repairs: KnownRepairs = new Map();
  const returnsReasoning = options.reasoning !== 'drop';
  const marks = options.cacheControl === true;
  return {
    label: model.modelId,
    provider: model.provider.split('.')[0],
    async call(request, context) {
      context.signal.throwIfAborted();
      try {
        const asked = (sent: ModelRequest) => ask(model, sent, context, marks);
        const { answer, warnings: repaired } = await askWithRepairs(request, repairs, asked, refusalInError);
        const { reply, warnings } = answer;
        const fresh = [...warningsOf(request, warnings), ...repaired].filter((text) => !said.has(text));
        for (const text of fresh) said.add(text);
        return {
          ...asReply(reply, context.step, returnsReasoning),
          warnings: fresh.length === 0 ? undefined : fresh,
        };
      } catch (error) {
        context.signal.throwIfAborted();
        throw classifyVercelError(error, model);
      }
    },
  };
}

function problemOf(model: unknown): string | undefined {
  if (typeof model === 'string') {
    return `"${model}" is a name. Give the model itself: anthropic('claude-…') of @ai-sdk/anthropic, openai('gpt-…') of @ai-sdk/openai.`;
  }
  const { data } = Shape.safeParse(model);
  if (data === undefined)
    return 'this is not a language model of the AI SDK: it has no doGenerate and doStream.';
  if (knownVersions.includes(data.specificationVersion)) return undefined;
  return `this model is of version "${data.specificationVersion}" of the AI SDK's specification; known are ${knownVersions.join(', ')} (AI SDK 5 to 7).`;
}

const Shape = z.object({
  specificationVersion: z.string(),
  doGenerate: z.custom((value) => typeof value === 'function'),
  doStream: z.custom((value) => typeof value === 'function'),
});

interface VercelAnswer {
  reply: ReplyParts;
  warnings: unknown[];
}

async function ask(
  model: VercelLanguageModel,
  request: ModelRequest,
  context: ModelCallContext,
  marks: boolean,
): Promise<VercelAnswer> {
  const ended = new AbortController();
  const abortSignal = AbortSignal.any([context.signal, ended.signal]);
  // The type of the options is of the model's own version; callOptions writes the fields of all versions.
  const options = { ...callOptions(request, model.specificationVersion, marks), abortSignal } as never;
  if (!request.params.stream) return readWhole(await model.doGenerate(options), model);
  const { stream } = read(StreamResult, await model.doStream(options), model);
  try {
    return await readStream(stream, request.stop, model, context);
  } finally {
    ended.abort(); // of a stream that was left early
  }
}

function readWhole(result: unknown, model: VercelLanguageModel): VercelAnswer {
  const { content, finishReason, usage, providerMetadata, warnings, response } = read(
    GenerateResult,
    result,
    model,
  );
  const reply = { ...emptyParts(), id: response?.id ?? undefined };
  for (const part of content) addWhole(reply, part);
  checkCalls(reply, model);
  return {
    reply: { ...reply, finishReason, usage: countsOf(usage, providerMetadata, model) },
    warnings: warnings ?? [],
  };
}

/** Ends the stream at a stop string, or at more text than can be recorded. */
async function readStream(
  stream: AsyncIterable<unknown>,
  stop: readonly string[],
  model: VercelLanguageModel,
  context: ModelCallContext,
): Promise<VercelAnswer> {
  const reply = emptyParts();
  const cutter = stopCutter(stop);
  let warnings: unknown[] = [];
  for await (const value of stream) {
    context.onText('');
    const { data: part } = StreamPart.safeParse(value);
    if (part === undefined) {
      addWhole(reply, value);
      checkCalls(reply, model);
    } else if (part.type === 'stream-start') warnings = part.warnings ?? [];
    else if (part.type === 'response-metadata') reply.id ??= part.id ?? undefined;
    else if (part.type === 'error') throw part.error;
    else if (part.type === 'finish') {
      const { finishReason, providerMetadata } = part;
      const usage = countsOf(part.usage, providerMetadata, model);
      if (isOpen(finishReason, usage, model)) break;
      return { reply: { ...reply, finishReason, usage }, warnings };
    } else {
      const type = part.type.startsWith('text') ? 'text' : 'reasoning';
      const text = 'delta' in part ? part.delta : '';
      addPiece(reply, type, part.id, part.providerMetadata ?? undefined, text);
      if (type === 'text') cutter.push(text);
      if (text !== '' && type === 'text') context.onText(text);
      if (text !== '' && type === 'reasoning') context.onReasoning?.(text);
    }
    if (cutter.stopped) return { reply: { ...reply, finishReason: 'stop' }, warnings };
    if (reply.length > limits.replyBytes) return { reply: { ...reply, finishReason: 'length' }, warnings };
  }
  const message = `The stream of ${model.modelId} (${model.provider}) broke off: the provider gave no reason to finish.`;
  throw new ModelError('ModelStreamCut', message, { retryable: true });
}

/** Packages of the AI SDK write the finish of a stream when its connection ends. Providers count at the end, but Gemini with each piece. */
function isOpen(
  finishReason: string,
  usage: ModelReply['usage'],
  { provider }: VercelLanguageModel,
): boolean {
  return finishReason === 'unknown' && (usage === undefined || /google|gemini|vertex/iu.test(provider));
}

function checkCalls({ calls }: ReplyParts, { modelId, provider }: VercelLanguageModel): void {
  if (calls <= limits.replyCalls) return;
  const message = `The model ${modelId} (${provider}) sent more than ${limits.replyCalls} tool calls.`;
  throw new ModelError('ModelInvalidResponse', message, { retryable: true });
}

function read<T>(schema: z.ZodType<T>, value: unknown, { modelId, provider }: VercelLanguageModel): T {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const message = `The model ${modelId} (${provider}) returned a value that is not a reply: ${z.prettifyError(error)}`;
  throw new ModelError('ModelInvalidResponse', message, { retryable: false });
}

const Warning = z.looseObject({
  type: z.string(),
  setting: z.string().optional(),
  feature: z.string().optional(),
  message: z.string().optional(),
  details: z.string().optional(),
});

/** Warnings about parts of the request that the provider left out, each once. */
function warningsOf({ params }: ModelRequest, warnings: readonly unknown[]): string[] {
  const told = warnings.flatMap((warning) => {
    const { data } = Warning.safeParse(warning);
    if (data === undefined) return [];
    const what = [data.setting ?? data.feature, data.message ?? data.details].filter(
      (word) => word !== undefined,
    );
    return [`the provider says: ${[data.type, ...what].join(': ')}`];
  });
  return params.logitBias === undefined
    ? told
    : [...told, 'logitBias is not passed on to models of the AI SDK'];
}
