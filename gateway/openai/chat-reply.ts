import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import { type Usage, asText } from '../../agent/values/vocabulary.ts';
import type { RunView } from '../../agent/run/view.ts';
import { Refused, problemOf } from '../http/problem.ts';
import { eventText } from '../replies/event-stream.ts';
import { createChatText } from './chat-text.ts';
import { NO_RETRY, errorBody } from './error-body.ts';
import type { Reply } from './follow-reply.ts';
import { responseIdOf, secondsOf, waitingText } from './response-object.ts';

interface ChunkOptions {
  /** One more chunk has the usage. */
  includeUsage: boolean;
  report(error: unknown): void;
}

/** The whole completion: its content is the answer of the run. Throws Refused for a run without an answer. */
export async function chatCompletion({ view, startedAt, parts }: Reply): Promise<ChatCompletion> {
  for await (const _ of parts); // the view follows
  const content = asText(view.output);
  return {
    ...headOf(view, startedAt),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        finish_reason: finishReason(view),
        logprobs: null,
      },
    ],
    usage: usageOf(view.usage),
  };
}

/** The completion as server-sent events, as the text is written. An error is the last event. */
export async function* chatChunks(
  opening: Promise<Reply>,
  { includeUsage, report }: ChunkOptions,
): AsyncGenerator<string> {
  try {
    for await (const chunk of chunksOf(await opening, includeUsage)) yield eventText(chunk);
    yield eventText('[DONE]');
  } catch (error) {
    report(error);
    yield eventText(errorBody(problemOf(error)));
  }
}

type Choice = ChatCompletionChunk.Choice;

async function* chunksOf(
  { view, startedAt, parts }: Reply,
  includeUsage: boolean,
): AsyncGenerator<ChatCompletionChunk> {
  const head = { ...headOf(view, startedAt), object: 'chat.completion.chunk' as const };
  const chunk = (delta: Choice['delta'], finish_reason: Choice['finish_reason'] = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  const textAfter = createChatText(view.id);
  yield chunk({ role: 'assistant', content: '' });
  for await (const { part } of parts) {
    const content = textAfter(part);
    if (content !== '') yield chunk({ content });
  }
  yield chunk({}, finishReason(view));
  if (includeUsage) yield { ...head, choices: [], usage: usageOf(view.usage) };
}

function headOf({ id, agent }: RunView, startedAt: number) {
  return { id: `chatcmpl-${id}`, created: secondsOf(startedAt), model: agent };
}

/** Throws Refused for a run that has no answer. */
function finishReason(view: RunView): 'stop' | 'length' {
  if (view.status === 'completed') return 'stop';
  if (view.status === 'stopped') return 'length';
  throw withoutAnswer(view);
}

function withoutAnswer(view: RunView): Refused {
  const { id, status, error } = view;
  if (status === 'failed')
    return new Refused(502, 'RunFailed', `Run ${id} failed: ${error?.message ?? 'no reason'}`, NO_RETRY);
  if (status === 'cancelled') return new Refused(409, 'RunCancelled', `Run ${id} was cancelled.`, NO_RETRY);
  const waiting = waitingText(view);
  const later = `GET /v1/responses/${responseIdOf(id)} has the answer later.`;
  return waiting === ''
    ? new Refused(504, 'RunUnderWay', `Run ${id} has no answer yet. ${later}`, NO_RETRY)
    : new Refused(409, 'RunWaiting', `Run ${id} waits for a person: ${waiting}. ${later}`, NO_RETRY);
}

function usageOf({ promptTokens, completionTokens, totalTokens, cachedTokens }: Usage): CompletionUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: totalTokens,
    ...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
  };
}
