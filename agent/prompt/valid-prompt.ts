import type { ModelPrompt, ToolSpec } from '../definition/kind.ts';
import { EMPTY_MESSAGE, EMPTY_REPLY, NO_RESULT, resultOfUnknownCall } from '../observation/observations.ts';
import { contentText } from '../values/content.ts';
import type { ChatMessage, ToolCall } from '../values/vocabulary.ts';
import { type RequestIds, requestIds } from './request-ids.ts';
import { argumentsToSend } from './tool-arguments.ts';
import { nameToSend } from './tool-names.ts';

/** Prompts that this module made: they are not made again. */
const valid = new WeakSet<ModelPrompt>();

/**
 * The prompt in the form that the strictest server accepts. Each rule is one that servers enforce with an error:
 * - one system message, and it comes first (templates of Qwen),
 * - no message without a text (Moonshot, Anthropic),
 * - names, arguments and ids of calls as {@link nameToSend}, {@link argumentsToSend} and {@link requestIds} make them,
 * - right after a message with calls one result for each call, and no other results (OpenAI),
 * - tools where a message has calls (Anthropic and Bedrock behind LiteLLM): the tools of earlier calls are declared where the
 *   agent has none, and may not be called.
 *
 * A prompt that fits stays as it is. `portableIds`: the calls may be those of another provider's model. Depends on its arguments
 * only, and does not change its own result.
 */
export function validPrompt(prompt: ModelPrompt, { portableIds = false } = {}): ModelPrompt {
  if (prompt.type === 'text' || (valid.has(prompt) && !portableIds)) return prompt;
  const { tools = [], toolChoice } = prompt;
  const messages = withAnswers(oneSystemMessage(prompt.messages), tools, requestIds(portableIds));
  const declared = tools.length > 0 ? tools : declaredTools(messages);
  const made: ModelPrompt = { type: 'messages', messages };
  if (declared.length > 0) made.tools = declared;
  if (declared.length > 0 && tools.length === 0) made.toolChoice = 'none';
  else if (declared.length > 0 && toolChoice !== undefined) made.toolChoice = toolChoice;
  valid.add(made);
  return made;
}

function oneSystemMessage(messages: readonly ChatMessage[]): ChatMessage[] {
  const system = messages.filter(({ role }) => role === 'system');
  const texts = system.map(({ content }) => contentText(content)).filter((text) => text.trim() !== '');
  const others = messages.filter(({ role }) => role !== 'system');
  return texts.length === 0 ? others : [{ role: 'system', content: texts.join('\n\n') }, ...others];
}

/** The messages with one result for each call, right after its message. */
function withAnswers(
  messages: readonly ChatMessage[],
  tools: readonly ToolSpec[],
  ids: RequestIds,
): ChatMessage[] {
  const list: ChatMessage[] = [];
  let at = 0;
  while (at < messages.length) {
    const message = messages[at++];
    if (message === undefined) break;
    if (message.role === 'tool') {
      list.push({ role: 'user', content: resultOfUnknownCall(contentText(message.content)) });
      continue;
    }
    const { toolCalls = [], ...plain } = message;
    if (message.role !== 'assistant' || toolCalls.length === 0) {
      list.push(withText(message.toolCalls === undefined ? message : plain));
      continue;
    }
    let end = at;
    while (messages[end]?.role === 'tool') end++;
    const calls = toolCalls.map((call) => ({ call, sent: callToSend(call, tools, ids) }));
    list.push({ ...withText(message), toolCalls: calls.map(({ sent }) => sent) });
    list.push(...answersTo(calls, messages.slice(at, end)));
    at = end;
  }
  return list;
}

/** A call as the transcript has it, and as the request has it. */
interface SentCall {
  call: ToolCall;
  sent: ToolCall;
}

function answersTo(calls: readonly SentCall[], results: readonly ChatMessage[]): ChatMessage[] {
  const list: ChatMessage[] = [];
  const strays: ChatMessage[] = [];
  const open = [...calls];
  for (const result of results) {
    const found = open.findIndex(({ call }) => call.id === result.toolCallId);
    const [answered] = found < 0 ? [] : open.splice(found, 1);
    if (answered === undefined) {
      strays.push({ role: 'user', content: resultOfUnknownCall(contentText(result.content)) });
    } else list.push({ ...result, content: result.content ?? '', toolCallId: answered.sent.id });
  }
  const unanswered = open.map(({ sent }): ChatMessage => ({
    role: 'tool',
    content: NO_RESULT,
    toolCallId: sent.id,
  }));
  return [...list, ...unanswered, ...strays];
}

/** Calls do not change, and each request of a run repeats them: their arguments are read once. */
const readBefore = new WeakMap<ToolCall, string>();

function callToSend(call: ToolCall, tools: readonly ToolSpec[], ids: RequestIds): ToolCall {
  let text = readBefore.get(call);
  if (text === undefined) readBefore.set(call, (text = argumentsToSend(call.arguments)));
  const providerId = call.providerId ?? call.id;
  const id = ids.next(call.id, providerId);
  const sent = { ...call, id, name: nameToSend(call.name, tools), arguments: text };
  return id === providerId ? sent : { ...sent, providerId };
}

/** The message with a text, if it needs one: a message that only calls tools does not. */
function withText(message: ChatMessage): ChatMessage {
  const { role, content, toolCalls = [] } = message;
  if (Array.isArray(content) || (content ?? '').trim() !== '') return message;
  if (role === 'user') return { ...message, content: EMPTY_MESSAGE };
  return { ...message, content: toolCalls.length > 0 ? null : EMPTY_REPLY };
}

/** The tools of the calls in a conversation, as far as it shows them. */
function declaredTools(messages: readonly ChatMessage[]): ToolSpec[] {
  const names = new Set(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name)));
  return [...names].map((name) => ({
    name,
    description: 'A tool of an earlier part of this conversation. It cannot be called any more.',
    parameters: { type: 'object', properties: {} },
  }));
}
