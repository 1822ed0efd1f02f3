import type { VercelLanguageModel } from '../../adapters/models/vercel/from-vercel-model.ts';

/** A part of a stream, or of a reply that comes whole. */
export type SdkPart = { type: string } & { [field: string]: unknown };

/** What a model of the AI SDK is called with, as far as tests read it. */
export interface SdkCall {
  prompt: { role: string; content: unknown }[];
  [option: string]: unknown;
}

export interface SdkModel extends VercelLanguageModel {
  calls: SdkCall[];
}

/** A model in the shape of the AI SDK's specification: each call is answered by the next parts, or with an error. */
export function sdkModel(version: string, answers: (SdkPart[] | Error)[]): SdkModel {
  const calls: SdkCall[] = [];
  const next = (options: SdkCall): SdkPart[] => {
    calls.push(options);
    const answer = answers[calls.length - 1] ?? new Error('no answer is left');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return {
    specificationVersion: version,
    provider: 'test.messages',
    modelId: 'test-1',
    calls,
    async doStream(options: SdkCall) {
      await Promise.resolve();
      return { stream: streamOf(next(options), options['abortSignal']) };
    },
    async doGenerate(options: SdkCall) {
      await Promise.resolve();
      const parts = next(options);
      const end: { [field: string]: unknown } = parts.find(({ type }) => type === 'finish') ?? {};
      return { ...end, content: parts.filter(({ type }) => type !== 'finish') };
    },
  };
}

async function* streamOf(parts: SdkPart[], signal: unknown): AsyncGenerator<SdkPart> {
  for (const part of parts) {
    await Promise.resolve();
    if (signal instanceof AbortSignal) signal.throwIfAborted();
    yield part;
  }
}

/** As `@ai-sdk/provider` has it: classes are told by their names, because a project may have several copies. */
export function apiCallError(message: string, fields: { [field: string]: unknown }): Error {
  return Object.assign(new Error(message), { name: 'AI_APICallError', isRetryable: false, ...fields });
}

const v2Usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4 };
const v3Usage = { inputTokens: { total: 10, cacheRead: 4 }, outputTokens: { total: 5 } };

export function finish(reason: string, version: string): SdkPart {
  return version === 'v2'
    ? { type: 'finish', finishReason: reason, usage: v2Usage }
    : { type: 'finish', finishReason: { unified: reason, raw: reason }, usage: v3Usage };
}
