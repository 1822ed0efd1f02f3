import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { defaultPayloadConverter } from '@temporalio/common';
import { afterEach, expect, test } from 'vitest';
import { traceIds } from '../../../../index.ts';
import type { ModelPrompt } from '../../../../agent/definition/kind.ts';
import type { RunSpan } from '../../../../agent/views/run-spans.ts';
import { TRACE_HEADER } from '../../../../agent/values/trace-context.ts';
import { defineModel } from '../../../../adapters/models/index.ts';
import { createTelemetry } from '../../../../worker/telemetry/opentelemetry.ts';
import { serverAttributes } from '../../../../worker/telemetry/span-attributes.ts';
import { sampleManifest } from '../../../support/manifest.ts';

afterEach(() => {
  trace.disable();
  context.disable();
});

const RUN = '01a207dc-2ec8-7748-b18b-efb4d46e35a5';
const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2, modelCalls: 1 };
const toolCalls = [
  { id: 'c1', name: 'price', arguments: '{"thing":"chair"}' },
  { id: 'c2', name: 'price', arguments: '{not' },
];
const model = defineModel({
  serverUrl: (name) => `https://models.example/v1/${name}`,
  call(_request, { onText }) {
    onText('One moment.');
    return Promise.resolve({ id: 'r-1', text: 'One moment.', toolCalls, finishReason: 'tool_calls', usage });
  },
});
const models = new Map([['mine', model]]);
const spanId = 'cd'.repeat(8);
const prompt: ModelPrompt = {
  type: 'messages',
  messages: [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: 'What is it?' },
  ],
  tools: [{ name: 'price', description: 'Gives a price.', parameters: { type: 'object' } }],
};
const { name, adapter, params, stop } = sampleManifest({});
const turn = { digest: '', text: 'One moment.', toolCalls, finishReason: 'tool_calls', usage, request: '' };
const span: RunSpan = {
  name,
  adapter,
  model: 'm-1',
  params: { ...params, extra: { seed: 7, top_k: 40, response_format: { type: 'json_schema' } } },
  stop,
  workflowId: 'w',
  runId: RUN,
  traceId: 'ab'.repeat(16),
  spanId,
  parentId: undefined,
  sampled: true,
  startMs: 1,
  endMs: 2,
  marks: [],
  type: 'model',
  call: '1',
  attempts: 1,
  turn: { ...turn, decision: { type: 'finish', output: 'x' } },
};

/** Makes an attempt of the call, then has the workflow send the call's span. */
async function sent(asks: boolean, contents = true) {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ idGenerator: traceIds, spanProcessors }));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  const { measured, interceptor, sinks } = createTelemetry({
    contents,
    models,
    priceOf: () => undefined,
    descriptionOf: () => 'Sells chairs.',
    server: { connection: undefined, namespace: 'default', searchAttributes: false },
  });
  const header = { traceparent: `00-${span.traceId}-${spanId}-01` };
  const headers = { [TRACE_HEADER]: defaultPayloadConverter.toPayload(header) };
  const info = { activityId: '1', attempt: 1, activityType: 'callModel' };
  const { inbound } = interceptor({ info } as never); // of the activity's context, only its facts are read
  const call = { signal: new AbortController().signal, onText: () => undefined, step: '1', runId: RUN };
  const ask = () => measured(models).get('mine')?.call({ model: 'm-1', prompt, stop: [], params }, call);
  if (asks) await inbound?.execute?.({ args: [], headers }, async () => ask());
  sinks.span(span);
  return exporter.getFinishedSpans();
}

test('a model call is one span with its input, its output and the tools', async () => {
  const [attempt, own] = await sent(true);
  expect(own?.attributes).toMatchObject({
    'gen_ai.agent.id': name,
    'gen_ai.agent.description': 'Sells chairs.',
    'gen_ai.request.stream': params.stream,
    'gen_ai.request.seed': 7,
    'gen_ai.request.top_k': 40,
    'gen_ai.output.type': 'json',
    'server.address': 'models.example',
    'server.port': 443,
    'gen_ai.response.id': 'r-1',
    'gen_ai.response.time_to_first_chunk': expect.any(Number) as number,
    'gen_ai.system_instructions': '[{"type":"text","content":"Be kind."}]',
    'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"What is it?"}]}]',
  });
  const json = (key: string) => JSON.parse(String(own?.attributes[key])) as unknown;
  expect(json('gen_ai.tool.definitions')).toEqual([
    { type: 'function', name: 'price', description: 'Gives a price.', parameters: { type: 'object' } },
  ]);
  expect(json('gen_ai.output.messages')).toEqual([
    {
      role: 'assistant',
      parts: [
        { type: 'text', content: 'One moment.' },
        { type: 'tool_call', id: 'c1', name: 'price', arguments: { thing: 'chair' } },
        { type: 'tool_call', id: 'c2', name: 'price', arguments: '{not' },
      ],
      finish_reason: 'tool_calls',
    },
  ]);
  expect(attempt?.name).toBe('attempt');
  expect(Object.keys(attempt?.attributes ?? {}).filter((key) => key.startsWith('gen_ai.'))).toEqual([]);
  expect(attempt?.attributes['reloop.prompt']).toContain('What is it?');
  expect(attempt?.attributes).toMatchObject({
    'reloop.response.id': 'r-1',
    'server.address': 'models.example',
    'server.port': 443,
  });
});

test.each([
  ['http://127.0.0.1:8000/v1', { 'server.address': '127.0.0.1', 'server.port': 8000 }],
  ['http://models.local', { 'server.address': 'models.local', 'server.port': 80 }],
  ['no URL', {}],
  [undefined, {}],
])('the server of a request is an address and a port: %s', (url, attributes) => {
  expect(serverAttributes(url)).toEqual(attributes);
});

test("without contents the span has the reply's id, and no word of the prompt, the tools or the reply", async () => {
  const spans = await sent(true, false);
  const attributes = spans.map((one) => one.attributes);
  expect(attributes[1]).toMatchObject({ 'gen_ai.response.id': 'r-1' });
  const texts = ['Be kind', 'What is it', 'Gives a price', 'One moment', '"thing"'];
  for (const text of texts) expect(JSON.stringify(attributes)).not.toContain(text);
});

test('a call that another worker has made has its output only', async () => {
  const [own, ...others] = await sent(false);
  expect(others).toEqual([]);
  expect(own?.attributes).toHaveProperty(['gen_ai.output.messages']);
  expect(own?.attributes).not.toHaveProperty(['gen_ai.input.messages']);
});
