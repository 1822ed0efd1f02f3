import type { Attributes } from '@opentelemetry/api';
import type { RunSpan } from '../../agent/views/run-spans.ts';
import { withoutSecrets } from '../../agent/text/secrets.ts';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import { contentText } from '../../agent/values/content.ts';
import type { ModelReply } from '../../adapters/models/model.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { type ChatMessage, type Json, asText, knownCost } from '../../agent/values/vocabulary.ts';

/** Names and values by OpenTelemetry's semantic conventions for generative AI; ours begin with `reloop.` */

export interface SpanText {
  name: string;
  attributes: Attributes;
}

/** The operation that a request to a model is. */
export function modelOperation({ params }: Pick<ModelRequest, 'params'>): 'chat' | 'text_completion' {
  return params.api === 'completions' ? 'text_completion' : 'chat';
}

interface SpanOptions {
  providerOf(adapter: string): string;
  /** Includes questions, replies, inputs and outputs. */
  contents: boolean;
  /** Description of the agent. */
  description?: string | undefined;
  /** Attributes of a model call's prompt and reply, if the call was made in this process. */
  facts?: Attributes | undefined;
}

/** Name and attributes of a span. */
export function spanText(span: RunSpan, { providerOf, contents, description, facts }: SpanOptions): SpanText {
  const provider = providerOf(span.adapter);
  const own = {
    'gen_ai.agent.id': span.name,
    'gen_ai.agent.name': span.name,
    'gen_ai.agent.description': description,
    'gen_ai.conversation.id': span.session,
    'reloop.run.id': span.workflowId,
    'reloop.run.run_id': span.runId,
    'error.type': span.error?.type,
  };
  switch (span.type) {
    case 'run':
      return {
        name: `invoke_agent ${span.name}`,
        attributes: { ...own, ...runAttributes(span, provider, contents) },
      };
    case 'model':
      return {
        name: `${modelOperation(span)} ${span.model}`,
        attributes: { ...own, ...modelAttributes(span, providerOf, contents), ...facts },
      };
    case 'tool':
      return {
        name: `execute_tool ${span.action.tool}`,
        attributes: { ...own, ...toolAttributes(span, contents) },
      };
  }
}

type SpanOf<T extends RunSpan['type']> = Extract<RunSpan, { type: T }>;

function runAttributes(span: SpanOf<'run'>, provider: string, contents: boolean): Attributes {
  const { input, output, usage, status, stopReason, error } = span;
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': span.model,
    'reloop.run.status': status,
    'reloop.run.stop_reason': stopReason ?? undefined,
    // Sums over the run's calls. The names are not `gen_ai.usage.…`, so that a backend that adds up spans counts calls only once.
    'reloop.usage.input_tokens': usage?.promptTokens,
    'reloop.usage.output_tokens': usage?.completionTokens,
    'reloop.cost.usd': usage === null ? undefined : knownCost(usage),
    ...(contents && {
      'gen_ai.input.messages': input === undefined ? undefined : messages([{ role: 'user', content: input }]),
      'gen_ai.output.messages':
        error === undefined
          ? replyText(
              { role: 'assistant', content: asText(output) },
              status === 'stopped' ? 'length' : 'stop',
            )
          : undefined,
    }),
  };
}

function modelAttributes(
  span: SpanOf<'model'>,
  providerOf: (adapter: string) => string,
  contents: boolean,
): Attributes {
  const { params, stop, turn, call, attempts } = span;
  const { extra = {} } = params;
  const { answeredBy } = turn ?? {};
  const usage = turn?.usage.uncountedCalls === undefined ? turn?.usage : undefined;
  return {
    'gen_ai.operation.name': modelOperation(span),
    'gen_ai.provider.name': providerOf(answeredBy?.adapter ?? span.adapter),
    'gen_ai.request.model': span.model,
    'gen_ai.response.model': answeredBy?.model,
    'gen_ai.request.temperature': params.temperature,
    'gen_ai.request.max_tokens': params.maxTokens,
    'gen_ai.request.top_p': params.topP,
    'gen_ai.request.frequency_penalty': params.frequencyPenalty,
    'gen_ai.request.presence_penalty': params.presencePenalty,
    'gen_ai.request.stream': params.stream,
    'gen_ai.request.seed': numberOf(extra['seed']),
    'gen_ai.request.top_k': numberOf(extra['top_k']),
    'gen_ai.output.type': outputType(extra['response_format']),
    'gen_ai.request.stop_sequences': stop.length === 0 ? undefined : stop,
    'gen_ai.response.finish_reasons': turn && [turn.finishReason],
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.output_tokens': usage?.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage?.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': usage?.reasoningTokens,
    'reloop.cost.usd': usage?.cost,
    'reloop.call.id': call,
    'reloop.call.attempts': attempts,
    ...(contents &&
      turn && {
        'gen_ai.output.messages': replyText(
          { role: 'assistant', content: turn.text, toolCalls: turn.toolCalls },
          turn.finishReason,
        ),
      }),
  };
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** The form of a reply that a request asks for: `text`, `json_object` or `json_schema` in OpenAI's API. */
function outputType(format: Json | undefined): string | undefined {
  const type = fieldOf(format, 'type');
  return typeof type === 'string' ? type.split('_')[0] : undefined;
}

function toolAttributes(span: SpanOf<'tool'>, contents: boolean): Attributes {
  const { action, observation, call, attempts } = span;
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': action.tool,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.description': span.toolDescription,
    'gen_ai.tool.call.id': call,
    'reloop.call.id': call,
    'reloop.call.attempts': attempts,
    ...(contents && {
      'gen_ai.tool.call.arguments': shown(action.toolInput),
      'gen_ai.tool.call.result': observation === undefined ? undefined : shown(observation),
    }),
  };
}

/** Attributes of a request's prompt, for the span of its call. */
export function promptAttributes({ prompt }: ModelRequest): Attributes {
  const all: readonly ChatMessage[] =
    prompt.type === 'text' ? [{ role: 'user', content: prompt.text }] : prompt.messages;
  const tools = prompt.type === 'text' ? [] : (prompt.tools ?? []);
  const end = all.findIndex(({ role }) => role !== 'system');
  const instructions = all.slice(0, end < 0 ? all.length : end);
  return {
    'gen_ai.system_instructions':
      instructions.length === 0 ? undefined : listed(instructions.map(({ content }) => textPart(content))),
    'gen_ai.input.messages': listed(all.slice(instructions.length).map(messageOf)),
    'gen_ai.tool.definitions':
      tools.length === 0 ? undefined : listed(tools.map((tool) => ({ type: 'function', ...tool }))),
  };
}

/** Attributes of the server that a request is sent to. */
export function serverAttributes(url: string | undefined): Attributes {
  if (url === undefined || !URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  const ofProtocol = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? ofProtocol : Number(port) };
}

/** Attributes of a reply that its run does not record. `firstChunk`: seconds until its first piece. */
export function replyAttributes({ id }: ModelReply, firstChunk: number | undefined): Attributes {
  return { 'gen_ai.response.id': id, 'gen_ai.response.time_to_first_chunk': firstChunk };
}

/**
 * The same for the span of an attempt. With the names of the conventions it would count as a second model call: Phoenix makes one of any span
 * that has `gen_ai.input.messages`.
 */
export function attemptFacts(facts: Attributes): Attributes {
  return {
    'server.address': facts['server.address'],
    'server.port': facts['server.port'],
    'reloop.prompt': facts['gen_ai.input.messages'],
    'reloop.response.id': facts['gen_ai.response.id'],
    'reloop.response.time_to_first_chunk': facts['gen_ai.response.time_to_first_chunk'],
  };
}

function shown(value: Json): string {
  return withoutSecrets(asText(value), []);
}

/** Messages as the conventions write them. Images are named, not sent. */
function messages(list: readonly ChatMessage[]): string {
  return listed(list.map(messageOf));
}

/** A reply of a model: the conventions' schema demands the reason of its end. */
function replyText(message: ChatMessage, finishReason: string): string {
  return listed([{ ...messageOf(message), finish_reason: finishReason }]);
}

function messageOf({ role, content, toolCalls = [], toolCallId }: ChatMessage): object {
  const said =
    toolCallId === undefined
      ? textPart(content)
      : { type: 'tool_call_response', id: toolCallId, response: textPart(content).content };
  const calls = toolCalls.map(({ id, name, arguments: input }) => {
    return { type: 'tool_call', id, name, arguments: parsed(input) };
  });
  return { role, parts: [...(textPart(content).content === '' ? [] : [said]), ...calls] };
}

function textPart(content: ChatMessage['content']): { type: 'text'; content: string } {
  return { type: 'text', content: content === null ? '' : contentText(content) };
}

/** A model may write arguments that are not JSON. */
function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function listed(list: readonly object[]): string {
  return withoutSecrets(JSON.stringify(list), []);
}
