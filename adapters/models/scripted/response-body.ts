import { fieldsOf } from '../../../agent/values/json-object.ts';
import type { JsonObject } from '../../../agent/values/vocabulary.ts';
import type { RecordedRequest, ScriptedReply } from './script.ts';

/** Bodies of the OpenAI protocol, made from a scripted reply. */

const CHARS_PER_TOKEN = 4;

export function isChat(request: RecordedRequest): boolean {
  return request.path.endsWith('/chat/completions');
}

/** The text, cut before the first of the request's stop strings, as the real API does. */
export function textOf(request: RecordedRequest, reply: ScriptedReply): string {
  const text = reply.text ?? reply.chunks?.join('') ?? '';
  if (reply.ignoreStop === true) return text;
  const stops = [request.body['stop']].flat();
  const places = stops.map((stop) => (typeof stop === 'string' && stop !== '' ? text.indexOf(stop) : -1));
  return text.slice(0, Math.min(text.length, ...places.filter((at) => at >= 0)));
}

/** The text as the script splits it, or word by word; a stop string may have made it shorter than the script's. */
export function piecesOf(text: string, chunks: string[] | undefined): string[] {
  const pieces: string[] = [];
  let rest = text;
  for (const piece of chunks ?? text.split(/(?<=\S)(?=\s)/)) {
    if (rest === '') break;
    pieces.push(rest.slice(0, piece.length));
    rest = rest.slice(piece.length);
  }
  return rest === '' ? pieces : [...pieces, rest];
}

/** Ids depend on the step where it is known, so that a repeated request gets the very same reply. */
function toolCallsOf(request: RecordedRequest, { toolCalls = [] }: ScriptedReply) {
  const prefix = (request.step ?? `${request.number}`).replaceAll(/\W/g, '_');
  return toolCalls.map((call, index) => ({
    id: call.id ?? `call_${prefix}_${index + 1}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
}

/** The whole answer. */
export function wholeBody(request: RecordedRequest, reply: ScriptedReply): JsonObject {
  const text = textOf(request, reply);
  const tool_calls = toolCallsOf(request, reply);
  const thought: JsonObject = reply.reasoning === undefined ? {} : { reasoning_content: reply.reasoning };
  const message: JsonObject =
    tool_calls.length === 0
      ? { role: 'assistant', ...thought, content: text }
      : { role: 'assistant', ...thought, content: text === '' ? null : text, tool_calls };
  return {
    ...headOf(request, false),
    choices: [
      { index: 0, ...(isChat(request) ? { message } : { text }), finish_reason: finishReasonOf(reply) },
    ],
    ...usageOf(request, reply, text),
  };
}

/** The deltas that carry the tool calls of a stream: name first, then the arguments in two halves. */
export function toolCallDeltas(request: RecordedRequest, reply: ScriptedReply): JsonObject[] {
  return toolCallsOf(request, reply).flatMap(({ id, type, function: { name, arguments: text } }, index) => {
    const half = Math.ceil(text.length / 2);
    return [
      { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] },
      { tool_calls: [{ index, function: { arguments: text.slice(0, half) } }] },
      { tool_calls: [{ index, function: { arguments: text.slice(half) } }] },
    ];
  });
}

/** The first fields of every body. */
export function headOf(request: RecordedRequest, stream: boolean): JsonObject {
  const chat = isChat(request);
  return {
    id: `${chat ? 'chatcmpl' : 'cmpl'}-scripted-${request.number}`,
    object: chat ? `chat.completion${stream ? '.chunk' : ''}` : 'text_completion',
    created: Math.floor(request.startedAt / 1000),
    model: request.body['model'] ?? '',
  };
}

export function finishReasonOf({ finishReason, toolCalls }: ScriptedReply): string {
  return finishReason ?? (toolCalls === undefined ? 'stop' : 'tool_calls');
}

/** Counts one token for every four characters, rounded up. */
export function usageOf(
  request: RecordedRequest,
  reply: ScriptedReply,
  text: string,
): { usage?: JsonObject } {
  if (reply.usage === null) return {};
  const calls = toolCallsOf(request, reply).map((call) => call.function.name + call.function.arguments);
  const { promptTokens, completionTokens, cachedTokens } = reply.usage ?? {
    promptTokens: tokensOf(request.prompt),
    completionTokens: tokensOf(text + calls.join('')),
    cachedTokens: undefined,
  };
  return {
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      ...(cachedTokens === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    },
  };
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

export function wantsUsage({ body }: RecordedRequest): boolean {
  return fieldsOf(body['stream_options'])['include_usage'] === true;
}
