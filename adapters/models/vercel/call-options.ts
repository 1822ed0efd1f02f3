import { z } from 'zod/v4';
import { fittingParams } from '../../../agent/prompt/fitting-params.ts';
import { validPrompt } from '../../../agent/prompt/valid-prompt.ts';
import { mediaGone } from '../../../agent/values/content.ts';
import { isObject, parseJson } from '../../../agent/values/json-object.ts';
import type { ChatMessage, JsonObject } from '../../../agent/values/vocabulary.ts';
import { ModelError, type ModelRequest } from '../model.ts';
import { type RecordedPart, recordedParts } from './reply-parts.ts';

type Part = { [field: string]: unknown };

interface Message {
  role: ChatMessage['role'];
  content: string | Part[];
  providerOptions?: Part;
}

/** A request as the AI SDK's specification has it; what is not set is not sent. `version` is the model's. `marks`: for the provider's cache of prompts. */
export function callOptions(
  { prompt: given, params: asGiven, stop }: ModelRequest,
  version: string,
  marks = false,
): { [option: string]: unknown } {
  const prompt = validPrompt(given);
  const params = fittingParams(asGiven, prompt);
  const tools = prompt.type === 'messages' ? (prompt.tools ?? []) : [];
  const choice = prompt.type === 'messages' ? prompt.toolChoice : undefined;
  return {
    prompt:
      prompt.type === 'text'
        ? [fromUser(prompt.text, version)]
        : withMarks(messagesOf(prompt.messages, version), marks),
    maxOutputTokens: params.maxTokens,
    temperature: params.temperature,
    topP: params.topP,
    frequencyPenalty: params.frequencyPenalty,
    presencePenalty: params.presencePenalty,
    stopSequences: stop.length === 0 ? undefined : stop,
    tools:
      tools.length === 0
        ? undefined
        : tools.map(({ name, description, parameters }) => ({
            type: 'function',
            name,
            description,
            inputSchema: parameters,
          })),
    toolChoice: tools.length === 0 ? undefined : { type: choice ?? 'auto' },
    providerOptions: providerOptions(params.extra),
  };
}

function messagesOf(messages: readonly ChatMessage[], version: string): Message[] {
  const names = new Map<string, string>();
  const list: Message[] = [];
  for (const message of messages) {
    const { role, content, toolCalls = [], toolCallId = '' } = message;
    for (const { id, name } of toolCalls) names.set(id, name);
    if (role === 'system') list.push({ role, content: typeof content === 'string' ? content : '' });
    if (role === 'user') list.push(fromUser(content, version));
    if (role === 'assistant') list.push({ role, content: partsOf(message) });
    if (role === 'tool') addResult(list, toolResult(toolCallId, names.get(toolCallId) ?? '', content));
  }
  return list;
}

/** Each provider reads its field, and no other. */
const MARK = {
  anthropic: { cacheControl: { type: 'ephemeral' } },
  bedrock: { cachePoint: { type: 'default' } },
};

function withMarks(messages: Message[], marks: boolean): Message[] {
  if (!marks) return messages;
  return messages.map((message, index) =>
    message.role === 'system' || index === messages.length - 1
      ? { ...message, providerOptions: MARK }
      : message,
  );
}

function toolResult(toolCallId: string, toolName: string, content: unknown): Part {
  return { type: 'tool-result', toolCallId, toolName, output: { type: 'text', value: content } };
}

/** Results of one turn are one message. */
function addResult(list: Message[], result: Part): void {
  const last = list.at(-1);
  if (last?.role === 'tool' && Array.isArray(last.content)) last.content.push(result);
  else list.push({ role: 'tool', content: [result] });
}

/** The parts of a message as the provider sent them, if it wants them back so; otherwise its text and its calls. */
function partsOf(message: ChatMessage): Part[] {
  const { content, toolCalls = [], reasoning = '', providerData } = message;
  const text = typeof content === 'string' ? content : '';
  const recorded = recordedParts(providerData);
  if (recorded === undefined) {
    return [...(text === '' ? [] : [{ type: 'text', text }]), ...toolCalls.map((call) => toolCall(call))];
  }
  const take = { text: cutter(text), reasoning: cutter(reasoning) };
  return recorded.flatMap((part) => {
    const back = metadataOf(part);
    if (part.type === 'tool-call') {
      const call = toolCalls.find(({ id, providerId = id }) => providerId === part.id);
      return call === undefined ? [] : [{ ...toolCall(call), ...back }];
    }
    const own = take[part.type](part.length);
    return own === '' && part.type === 'text' ? [] : [{ type: part.type, text: own, ...back }];
  });
}

function metadataOf({ metadata }: RecordedPart): Part {
  return metadata === undefined ? {} : { providerOptions: metadata };
}

function cutter(text: string): (length: number) => string {
  let at = 0;
  return (length) => text.slice(at, (at += length));
}

function toolCall({ id, name, arguments: text }: { id: string; name: string; arguments: string }): Part {
  return { type: 'tool-call', toolCallId: id, toolName: name, input: parseJson(text) };
}

const QuestionParts = z.array(
  z.union([
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({
      type: z.enum(['image', 'file']),
      mediaType: z.string().optional(),
      filename: z.string().optional(),
      url: z.string().optional(),
      data: z.string().optional(),
    }),
  ]),
);

/** A question is a text, or texts, images and files. */
function fromUser(content: unknown, version: string): Message {
  if (typeof content === 'string') return { role: 'user', content: [{ type: 'text', text: content }] };
  const parts = QuestionParts.safeParse(content).data ?? [];
  return {
    role: 'user',
    content: parts.map((part): Part => {
      if (part.type === 'text') return { type: 'text', text: part.text };
      const { type, mediaType = 'image/*', filename, url, data } = part;
      if (url === undefined && data === undefined) return { type: 'text', text: mediaGone({ type }) };
      return { type: 'file', mediaType, filename, data: fileData(url, data, version) };
    }),
  };
}

function fileData(url: string | undefined, data: string | undefined, version: string): unknown {
  const at = url === undefined ? undefined : new URL(url);
  if (version === 'v2' || version === 'v3') return at ?? data;
  return at === undefined ? { type: 'data', data } : { type: 'url', url: at };
}

/** `extra` of an agent: options by provider, `{ anthropic: { thinking: … } }`. */
function providerOptions(extra: JsonObject | undefined): JsonObject | undefined {
  for (const [name, value] of Object.entries(extra ?? {})) {
    if (isObject(value)) continue;
    throw new ModelError(
      'ModelBadRequest',
      `extra.${name} is not an object: for a model of the AI SDK, extra holds options by provider, as { anthropic: { … } }.`,
      { retryable: false },
    );
  }
  return extra;
}
