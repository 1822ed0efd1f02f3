import { ROOT_CONTEXT, metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, expect, test } from 'vitest';
import { traceIds } from '../../../../index.ts';
import { callerTrace } from '../../../../client/start/caller-trace.ts';
import type { ModelTurn } from '../../../../agent/calls/calls.ts';
import type { RunSpan } from '../../../../agent/views/run-spans.ts';
import { ModelError, defineModel } from '../../../../adapters/models/index.ts';
import { createTelemetry, sdkProblem } from '../../../../worker/telemetry/opentelemetry.ts';
import { problemOf, agent } from '../../../support/config.ts';
import { sampleManifest } from '../../../support/manifest.ts';

afterEach(() => {
  trace.disable();
  metrics.disable();
});

const RUN = '01a207dc-2ec8-7748-b18b-efb4d46e35a5';
const server = { connection: undefined, namespace: 'default', searchAttributes: false };
const telemetry = (models = new Map<string, ReturnType<typeof defineModel>>()) =>
  createTelemetry({
    contents: false,
    models,
    priceOf: () => ({ input: 1, output: 2 }),
    descriptionOf: () => 'Sells chairs.',
    server,
  });

function startSdk(options: ConstructorParameters<typeof BasicTracerProvider>[0] = {}) {
  const exporter = new InMemorySpanExporter();
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ idGenerator: traceIds, spanProcessors, ...options }),
  );
  return exporter;
}

test('without an SDK a worker says that nothing is sent, and its runs are not sampled', () => {
  expect(sdkProblem()).toMatchObject({ severity: 'warning' });
  expect(telemetry().begin({ agent: 'a', runId: RUN }, undefined)).toMatch(/-00$/u);
});

test('an SDK that makes its own span ids is an error that says what to give it', () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider());
  expect(sdkProblem()).toMatchObject({
    severity: 'error',
    message: expect.stringContaining('idGenerator: traceIds') as string,
  });
});

test('an SDK with the ids of Reloop is right, and nothing is sent to find that out', () => {
  const exporter = startSdk();
  expect(sdkProblem()).toBeUndefined();
  expect(exporter.getFinishedSpans()).toEqual([]);
});

test("the SDK's sampler decides once for a run, and a caller's decision stays", () => {
  startSdk({ sampler: new TraceIdRatioBasedSampler(0) });
  const { begin } = telemetry();
  expect(begin({ agent: 'a', runId: RUN }, undefined)).toBe(
    '00-01a207dc2ec87748b18befb4d46e35a5-0000000000000000-00',
  );
  const caller = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
  expect(begin({ agent: 'a', runId: RUN }, caller)).toBe(caller);
});

test('a span is sent with the ids and times that its run has recorded', () => {
  const exporter = startSdk();
  const { name, adapter, model, params, stop } = sampleManifest({});
  const span: RunSpan = {
    name,
    adapter,
    model,
    params,
    stop,
    workflowId: 'w',
    runId: RUN,
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    parentId: 'ef'.repeat(8),
    sampled: true,
    startMs: 1_000,
    endMs: 3_500,
    marks: [{ at: 2_000, name: 'waiting', detail: 'failed' }],
    error: { type: 'Cancelled', message: 'with a secret' },
    type: 'tool',
    call: '1.1',
    attempts: 1,
    action: { tool: 'pay', toolInput: 'x', log: '' },
  };
  const { sinks } = telemetry();
  sinks.span(span);
  sinks.span({ ...span, sampled: false });
  const [sent, ...others] = exporter.getFinishedSpans();
  expect(others).toEqual([]);
  expect(sent).toMatchObject({
    name: 'execute_tool pay',
    parentSpanContext: { spanId: 'ef'.repeat(8) },
    startTime: [1, 0],
    endTime: [3, 500_000_000],
    status: { code: 2, message: 'Cancelled' },
    events: [{ name: 'reloop.waiting', attributes: { 'reloop.detail': 'failed' } }],
  });
  expect(sent?.spanContext()).toMatchObject({ traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) });
});

test('the span of a model call names the model that answered, and its provider', () => {
  const exporter = startSdk();
  const { name, adapter, model, params, stop } = sampleManifest({});
  const turn: ModelTurn = {
    digest: '',
    text: 'hi',
    decision: { type: 'finish', output: 'hi', log: 'hi' },
    finishReason: 'stop',
    answeredBy: { adapter: 'mine', model: 'm-1' },
    usage: {
      promptTokens: 9,
      completionTokens: 5,
      totalTokens: 14,
      modelCalls: 1,
      cachedTokens: 3,
      cacheWriteTokens: 2,
      reasoningTokens: 4,
    },
    request: '',
  };
  const place = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), parentId: undefined, sampled: true };
  const agentOf = { name, adapter, model, params, stop, workflowId: 'w', runId: RUN };
  const facts = { type: 'model', call: '1', attempts: 1, turn } as const;
  const mine = defineModel({ provider: 'acme', call: () => Promise.reject(new Error('not asked')) });
  telemetry(new Map([['mine', mine]])).sinks.span({
    ...agentOf,
    ...place,
    startMs: 1,
    endMs: 2,
    marks: [],
    ...facts,
  });
  expect(exporter.getFinishedSpans()[0]?.attributes).toMatchObject({
    'gen_ai.provider.name': 'acme',
    'gen_ai.request.model': model,
    'gen_ai.response.model': 'm-1',
    'gen_ai.usage.cache_read.input_tokens': 3,
    'gen_ai.usage.cache_creation.input_tokens': 2,
    'gen_ai.usage.reasoning.output_tokens': 4,
  });
});

test('each request to a model is measured: tokens that were counted, cost, time, and the type of a failure; so are outages', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
  const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
  const replies = [{ usage }, {}, new ModelError('ModelRateLimited', 'later', { retryable: true })];
  const model = defineModel({
    provider: 'acme',
    async call(_request, { onText }) {
      onText('');
      onText('a');
      onText('b');
      const next = replies.shift();
      if (next === undefined || next instanceof Error) throw next;
      return { text: '', toolCalls: [], finishReason: 'stop', ...next };
    },
  });
  const models = new Map([['mine', model]]);
  const { measured: all, outage } = telemetry(models);
  const measured = all(models).get('mine');
  const { params } = sampleManifest({});
  const request = { model: 'm-1', prompt: { type: 'text', text: 'x' } as const, stop: [], params };
  const call = { signal: new AbortController().signal, onText: () => undefined, step: '1', runId: RUN };
  await measured?.call(request, call);
  await measured?.call(request, call);
  await expect(measured?.call(request, call)).rejects.toThrow('later');
  for (const isOpen of [true, true, false]) outage({ adapter: 'mine', model: 'm-1', isOpen });
  await reader.forceFlush();
  const points = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
    .flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => [
        descriptor.name,
        attributes['gen_ai.token.type'] ?? attributes['error.type'],
        typeof value === 'object' && 'count' in value ? [value.count, Math.floor(value.sum ?? 0)] : value,
      ]),
    );
  expect(points).toEqual([
    ['gen_ai.client.token.usage', 'input', [1, 10]],
    ['gen_ai.client.token.usage', 'output', [1, 5]],
    ['gen_ai.client.operation.duration', undefined, [2, 0]],
    ['gen_ai.client.operation.duration', 'ModelRateLimited', [1, 0]],
    ['gen_ai.client.operation.time_to_first_chunk', undefined, [3, 0]],
    ['gen_ai.client.operation.time_per_output_chunk', undefined, [3, 0]],
    ['reloop.cost', undefined, 0.00002],
    ['reloop.doubts', undefined, 0],
    ['reloop.model.outages', undefined, 1],
  ]);
  await reader.shutdown();
});

test('a client without an active span sends no traceparent', async () => {
  startSdk();
  expect(trace.getSpan(ROOT_CONTEXT)).toBeUndefined();
  await expect(callerTrace()).resolves.toBeUndefined();
});

test.each([
  [{ prometheus: '9464' }, 'telemetry.prometheus: is not an address such as 127.0.0.1:9464'],
  [{ content: true }, 'telemetry: unknown option content (did you mean contents?)'],
  ['on', 'telemetry: is neither true nor { contents, prometheus, … }'],
])('telemetry: %j is refused', (given, problem) => {
  expect(problemOf({ agents: [agent()], telemetry: given })).toContain(problem);
});

test('a logger without all methods is refused', () => {
  expect(problemOf({ agents: [agent()], logger: { info: () => undefined } })).toContain(
    'logger: is not a logger with debug, info, warn and error, such as pino()',
  );
});
