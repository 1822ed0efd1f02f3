import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionMessageFunctionToolCall,
} from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import { asText, type RunView, type Usage } from '../../client/index.ts';
import { Refused } from '../http/problem.ts';
import { eventText } from '../replies/sse-response.ts';
import { failureText } from '../access/failure-text.ts';
import { type Reply, refusedAfterStart } from '../replies/follow-reply.ts';
import { BETWEEN_TEXTS, type RunPart } from '../replies/run-parts.ts';
import { approvalId } from '../start/approvals.ts';
import { responseIdOf, secondsOf, waitingText } from './response-object.ts';

interface ChunkOptions {
  /** One more chunk has the usage. */
  includeUsage: boolean;
}

/** The whole completion: its content is the answer of the run. Throws Refused for a run without an answer. */
export async function chatCompletion({ view, startedAt, parts }: Reply): Promise<ChatCompletion> {
  const text = await textOf(parts); // the view follows
  const tool_calls = clientCalls(view);
  const content = tool_calls.length === 0 ? asText(view.output) : text;
  return {
    ...headOf(view, startedAt),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null, ...(tool_calls.length > 0 && { tool_calls }) },
        finish_reason: tool_calls.length > 0 ? 'tool_calls' : finishReason(view),
        logprobs: null,
      },
    ],
    usage: usageOf(view.usage),
  };
}

/**
 * The completion as server-sent events, as the text is written. The first one comes with the first text. Throws Refused for a run without an
 * answer; but a run that asks a person behind some text ends its stream with a text about the wait, because clients take an error in a
 * stream for a reason to start another run.
 */
export async function* chatChunks(
  open: () => Promise<Reply>,
  { includeUsage }: ChunkOptions,
): AsyncGenerator<string> {
  for await (const chunk of chunksOf(await open(), includeUsage)) yield eventText(chunk);
  yield eventText('[DONE]');
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
  let hasBegun = false;
  for await (const { part } of parts) {
    const content = textAfter(part);
    if (content === '') continue;
    if (!hasBegun) yield chunk({ role: 'assistant', content: '' });
    hasBegun = true;
    yield chunk({ content });
  }
  const calls = clientCalls(view);
  if (calls.length > 0) {
    if (!hasBegun) yield chunk({ role: 'assistant', content: null });
    yield chunk({ tool_calls: calls.map((call, index) => ({ index, ...call })) });
    yield chunk({}, 'tool_calls');
    if (includeUsage) yield { ...head, choices: [], usage: usageOf(view.usage) };
    return;
  }
  if (hasBegun && waitingText(view) !== '') {
    yield chunk({ content: `${BETWEEN_TEXTS}${withoutAnswer(view).message}` });
    yield chunk({}, 'length');
    return;
  }
  const reason = finishReason(view);
  if (!hasBegun) yield chunk({ role: 'assistant', content: '' });
  yield chunk({}, reason);
  if (includeUsage) yield { ...head, choices: [], usage: usageOf(view.usage) };
}

function headOf({ id, agent }: RunView, startedAt: number) {
  return { id: `chatcmpl-${id}`, created: secondsOf(startedAt), model: agent };
}

/** The texts of a reply that has no answer yet; null: no texts. */
async function textOf(parts: Reply['parts']): Promise<string | null> {
  const texts = new Map<string, string>();
  for await (const { part } of parts) {
    if (part.type === 'void') texts.delete(part.call);
    if (part.type === 'text') texts.set(part.call, (texts.get(part.call) ?? '') + part.delta);
  }
  return texts.size === 0 ? null : [...texts.values()].join(BETWEEN_TEXTS);
}

/** The calls that the client carries out. Their ids lead any gateway to the run. */
function clientCalls({ id: run, waiting }: RunView): ChatCompletionMessageFunctionToolCall[] {
  return waiting
    .filter(({ reason }) => reason === 'client_tool')
    .map(({ call, n, tool: name, toolInput }) => ({
      id: approvalId({ run, call, n }),
      type: 'function',
      function: { name, arguments: JSON.stringify(toolInput) },
    }));
}

/** Throws Refused for a run that has no answer. */
function finishReason(view: RunView): 'stop' | 'length' | 'content_filter' {
  if (view.status === 'completed') return view.truncated ?? 'stop';
  if (view.status === 'stopped') return 'length';
  throw withoutAnswer(view);
}

function withoutAnswer(view: RunView): Refused {
  const { id, status, error } = view;
  if (status === 'failed') return refusedAfterStart('RunFailed', `Run ${id}: ${failureText(error)}`);
  if (status === 'cancelled') return refusedAfterStart('RunCancelled', `Run ${id} was cancelled.`);
  const waiting = waitingText(view);
  const later = `GET /v1/responses/${responseIdOf(id)} has the answer later.`;
  return waiting === ''
    ? refusedAfterStart('RunUnderWay', `Run ${id} has no answer yet. ${later}`)
    : refusedAfterStart('RunWaiting', `Run ${id} waits for a person: ${waiting}. ${later}`);
}

function usageOf(usage: Usage): CompletionUsage {
  const { promptTokens, completionTokens, totalTokens, cachedTokens, reasoningTokens } = usage;
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: totalTokens,
    ...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  };
}

/** Key of the answer where no model call wrote the answer. */
const ANSWER = 'answer';

/**
 * Makes the text of a reply that can only be continued: the texts of all model calls, a blank line between two. Returns the new
 * characters of each part. A text that was sent and then replaced by another attempt of the model is held back until the new text is the
 * longer one. Throws Refused when the new text is another one, because nothing that was sent can be taken back.
 */
export function createChatText(run: string): (part: RunPart) => string {
  /** Texts by model call. */
  const texts = new Map<string, string>();
  let sent = '';
  return (part) => {
    if (part.type === 'void') texts.delete(part.call);
    else if (part.type === 'text') texts.set(part.call, (texts.get(part.call) ?? '') + part.delta);
    else if (part.type === 'output') texts.set(ANSWER, part.text);
    else if (part.type !== 'ended') return '';
    const whole = [...texts.values()].join(BETWEEN_TEXTS);
    if (whole.startsWith(sent)) {
      const delta = whole.slice(sent.length);
      sent = whole;
      return delta;
    }
    if (part.type !== 'ended' && sent.startsWith(whole)) return '';
    throw replaced(run);
  };
}

function replaced(run: string): Refused {
  return new Refused(
    502,
    'TextReplaced',
    `Another attempt of the model replaced a text that this stream had sent. The run continues: GET /v1/responses/resp_${run} has the answer.`,
  );
}
