import {
  type ContentPart,
  type FilePart,
  contentText,
  mediaGone,
  mediaOf,
} from '../../../../agent/values/content.ts';
import type { ModelPrompt } from '../../../../agent/definition/kind.ts';
import type { ChatMessage, Json, JsonObject } from '../../../../agent/values/vocabulary.ts';
import { type ModelRequest, ModelError } from '../../model.ts';
import { fittingParams } from '../../../../agent/prompt/fitting-params.ts';
import { validPrompt } from '../../../../agent/prompt/valid-prompt.ts';
import { callFields, reasoningFields } from '../reasoning.ts';

export interface WireRequest {
  path: '/chat/completions' | '/completions';
  body: JsonObject;
}

/** Legacy completions: the API's own default of 16 tokens cuts every thought. */
const COMPLETIONS_MAX_TOKENS = 256;
/** The API takes no more; the caller cuts at all of them anyway. */
const MAX_STOPS = 4;

/** A request in the OpenAI protocol; fields that are not set are left out. */
export function buildRequest(request: ModelRequest): WireRequest {
  const { model } = request;
  const prompt = validPrompt(request.prompt);
  const params = fittingParams(request.params, prompt);
  const chat = params.api === 'chat';
  const fields = {
    model,
    stop: request.stop.length > 0 ? request.stop.slice(0, MAX_STOPS) : undefined,
    temperature: params.temperature,
    max_tokens: params.maxTokens ?? (chat ? undefined : COMPLETIONS_MAX_TOKENS),
    top_p: params.topP,
    frequency_penalty: params.frequencyPenalty,
    presence_penalty: params.presencePenalty,
    logit_bias: params.logitBias,
    ...(params.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
    // The conversation comes last, so that the next request starts with the same bytes.
    ...(chat ? chatFields(prompt) : { prompt: asPromptText(prompt) }),
    ...params.extra,
  };
  return { path: chat ? '/chat/completions' : '/completions', body: onlySet(fields) };
}

/** A text prompt is one user message. An empty list of tools is refused by some servers. */
function chatFields(prompt: ModelPrompt): { [field: string]: Json | undefined } {
  if (prompt.type === 'text') return { messages: [{ role: 'user', content: prompt.text }] };
  const { messages, tools = [], toolChoice } = prompt;
  return {
    tools: tools.length > 0 ? tools.map((tool) => ({ type: 'function', function: { ...tool } })) : undefined,
    tool_choice: toolChoice,
    messages: messages.map((message) => onlySet(wireMessage(message))),
  };
}

function wireMessage(message: ChatMessage): { [field: string]: Json | undefined } {
  return {
    role: message.role,
    // llama-cpp-python 0.3.36 answers null with an error; llama.cpp, vLLM and the others take both.
    content: Array.isArray(message.content) ? message.content.map(wirePart) : (message.content ?? ''),
    ...reasoningFields(message),
    tool_calls: message.toolCalls?.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
      ...callFields(message, call.providerId ?? call.id),
    })),
    tool_call_id: message.toolCallId,
  };
}

function wirePart(part: ContentPart): Json {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mediaType, data } = part;
  const from = data === undefined ? undefined : `data:${mediaType};base64,${data}`;
  const url = part.type === 'image' ? (part.url ?? from) : undefined;
  if (url !== undefined) return { type: 'image_url', image_url: { url } };
  return part.type === 'image' || data === undefined
    ? { type: 'text', text: mediaGone(part) }
    : wireFile(part, data);
}

/** Audio has its own kind of part. OpenAI wants a name for any other file. */
function wireFile({ mediaType, filename = 'file.pdf' }: FilePart, data: string): Json {
  const format = AUDIO_FORMATS[mediaType];
  return format === undefined
    ? { type: 'file', file: { filename, file_data: `data:${mediaType};base64,${data}` } }
    : { type: 'input_audio', input_audio: { data, format } };
}

const AUDIO_FORMATS: { readonly [mediaType: string]: string | undefined } = {
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
};

const SPEAKERS = { system: 'System', user: 'Human', assistant: 'AI' };

/** Messages for a model that only continues text: `System: …`, `Human: …`, `AI: …`, ending where the model speaks. */
function asPromptText(prompt: ModelPrompt): string {
  if (prompt.type === 'text') return prompt.text;
  if (prompt.tools !== undefined && prompt.tools.length > 0) throw needsChat('tool calls');
  const lines = prompt.messages.map(({ role, content, toolCalls }) => {
    if (role === 'tool' || toolCalls !== undefined) throw needsChat('tool calls');
    if (mediaOf(content).length > 0) throw needsChat('images and files');
    return `${SPEAKERS[role]}: ${contentText(content)}`;
  });
  return [...lines, 'AI:'].join('\n');
}

function needsChat(what: string): ModelError {
  return new ModelError(
    'ModelBadRequest',
    `Legacy completions cannot carry ${what}: give this agent api: 'chat'.`,
    { retryable: false },
  );
}

function onlySet(fields: { [field: string]: Json | undefined }): JsonObject {
  const body: JsonObject = {};
  for (const [field, value] of Object.entries(fields)) if (value !== undefined) body[field] = value;
  return body;
}
