import { ModelError, type ModelReply } from '../models/model.ts';

/** What a model returned, as it came: it may be a user's own, and in JavaScript. Throws {@link ModelError}. */
export function checkReply(adapter: string, reply: Unchecked<ModelReply> | undefined | null): ModelReply {
  const problem = problemOf(reply ?? {});
  if (problem === undefined) return reply as ModelReply; // as just found
  const message = `The model "${adapter}" returned no reply: ${problem}. It has to return { text, toolCalls, finishReason, usage }.`;
  throw new ModelError('ModelInvalidResponse', message, { retryable: false });
}

type Unchecked<T> = { [Field in keyof T]?: unknown };

function problemOf({ text, toolCalls, finishReason, usage }: Unchecked<ModelReply>): string | undefined {
  if (typeof text !== 'string') return "text is no string ('' where there is none)";
  if (!Array.isArray(toolCalls) || !toolCalls.every(isToolCall))
    return 'toolCalls is no list of { id, name, arguments }, all three texts ([] where there are none)';
  if (typeof finishReason !== 'string') return "finishReason is no string ('stop' where nothing is known)";
  const { promptTokens, completionTokens, totalTokens } = (usage ?? {}) as Unchecked<ModelReply['usage']>;
  return [promptTokens, completionTokens, totalTokens].every(Number.isFinite)
    ? undefined
    : 'usage lacks promptTokens, completionTokens or totalTokens (0 where nothing is known)';
}

function isToolCall(call: Unchecked<ModelReply['toolCalls'][number]> | null): boolean {
  return [call?.id, call?.name, call?.arguments].every((part) => typeof part === 'string');
}
