import type { Attributes } from '@opentelemetry/api';
import type { RunSpan } from '../../agent/run/run-spans.ts';
import { withoutSecrets } from '../../agent/text/secrets.ts';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import { contentText } from '../../agent/values/content.ts';
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

/** Name and attributes of a span. `contents`: with questions, replies, inputs and outputs. */
export function spanText(
  span: RunSpan,
  providerOf: (adapter: string) => string,
  contents: boolean,
): SpanText {
  const provider = providerOf(span.adapter);
  const own = {
    'gen_ai.agent.name': span.name,
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
        attributes: { ...own, ...modelAttributes(span, providerOf, contents) },
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
    // Those of its calls: a backend that adds up spans counts calls alone.
    'reloop.usage.input_tokens': usage?.promptTokens,
    'reloop.usage.output_tokens': usage?.completionTokens,
    'reloop.cost.usd': usage === null ? undefined : knownCost(usage),
    ...(contents && {
      'gen_ai.input.messages': input === undefined ? undefined : messages([{ role: 'user', content: input }]),
      'gen_ai.output.messages':
        error === undefined ? messages([{ role: 'assistant', content: asText(output) }]) : undefined,
    }),
  };
}

function modelAttributes(
  span: SpanOf<'model'>,
  providerOf: (adapter: string) => string,
  contents: boolean,
): Attributes {
  const { params, stop, turn, call, attempts } = span;
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
    'gen_ai.request.stop_sequences': stop.length === 0 ? undefined : stop,
    'gen_ai.response.finish_reasons': turn && [turn.finishReason],
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.output_tokens': usage?.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
    'reloop.cost.usd': usage?.cost,
    'reloop.call.id': call,
    'reloop.call.attempts': attempts,
    ...(contents &&
      turn && {
        'gen_ai.output.messages': messages([
          { role: 'assistant', content: turn.text, toolCalls: turn.toolCalls },
        ]),
      }),
  };
}

function toolAttributes(span: SpanOf<'tool'>, contents: boolean): Attributes {
  const { action, observation, call, attempts } = span;
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': action.tool,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': call,
    'reloop.call.id': call,
    'reloop.call.attempts': attempts,
    ...(contents && {
      'gen_ai.tool.call.arguments': shown(action.toolInput),
      'gen_ai.tool.call.result': observation === undefined ? undefined : shown(observation),
    }),
  };
}

/** The prompt of a request, which only the attempt has. */
export function promptAttributes({ prompt }: ModelRequest): Attributes {
  const all: ChatMessage[] =
    prompt.type === 'text' ? [{ role: 'user', content: prompt.text }] : [...prompt.messages];
  return { 'gen_ai.input.messages': messages(all) };
}

function shown(value: Json): string {
  return withoutSecrets(asText(value), []);
}

/** Messages as the conventions write them. Images are named, not sent. */
function messages(list: readonly ChatMessage[]): string {
  const written = list.map(({ role, content, toolCalls = [], toolCallId }) => {
    const text = content === null ? '' : contentText(content);
    const said =
      toolCallId === undefined
        ? { type: 'text', content: text }
        : { type: 'tool_call_response', id: toolCallId, response: text };
    const calls = toolCalls.map(({ id, name, arguments: input }) => {
      return { type: 'tool_call', id, name, arguments: input };
    });
    return { role, parts: [...(text === '' ? [] : [said]), ...calls] };
  });
  return withoutSecrets(JSON.stringify(written), []);
}
