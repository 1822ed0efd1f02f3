import { join } from 'node:path';
import { ROOT_CONTEXT, TraceFlags, context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentRun } from '../../client/index.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';
import { type OtlpServer, type RecordedSpan, startOtlpServer } from '../support/otlp-server.ts';
import { until } from '../support/processes.ts';
import { act, answer } from '../support/scripts.ts';

/** Real workers with the OpenTelemetry SDK, one of them killed, and a server that decodes what they send. */

const env: { [name: string]: string } = {};
let otlp: OtlpServer;
let rig: CrashRig;

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  otlp = await startOtlpServer();
  env['OTEL_EXPORTER_OTLP_ENDPOINT'] = otlp.url;
  env['OTEL_METRICS_EXPORTER'] = 'otlp';
  env['OTEL_BSP_SCHEDULE_DELAY'] = '100';
  env['OTEL_METRIC_EXPORT_INTERVAL'] = '300';
  env['OTEL_METRIC_EXPORT_TIMEOUT'] = '300';
  rig = await startCrashRig({
    config: 'test/fixtures/telemetry.config.ts',
    env,
    replies({ body }) {
      const text = JSON.stringify(body);
      if (text.includes('gpt-talker')) {
        if (text.includes('worked on')) return 'talked';
        return { toolCalls: [{ name: 'flaky', arguments: { input: 'a word' } }] };
      }
      if (text.includes('Observation: helped')) return answer('all is done');
      if (text.includes('Observation: worked on')) return answer('helped');
      if (text.includes('gpt-helper')) return act('flaky', 'a part');
      return text.includes('Observation: held') ? act('helper', 'help') : act('hold', 'the secret part');
    },
  });
});
afterAll(async () => {
  await rig.stop();
  await otlp.close();
});

const named = (name: string) => otlp.spans.filter((span) => span.name === name);
const one = (name: string): RecordedSpan => {
  const [first, second] = named(name);
  if (first === undefined || second !== undefined) throw new Error(`${named(name).length} spans "${name}"`);
  return first;
};
const sumOf = (metric: string, type?: string) =>
  otlp
    .points(metric)
    .filter(({ attributes }) => type === undefined || attributes['gen_ai.token.type'] === type)
    .reduce((sum, { value }) => sum + value, 0);

let run: AgentRun;

test('a run over two workers, one of them killed, is one trace: a span for each call, the attempts under it', async () => {
  const record = join(rig.folder, 'holds');
  const killed = rig.startWorker(record);
  run = await rig.client.start('boss', 'Do it.');
  await until(() => linesOf(record).length === 1 && named('chat gpt-boss').length === 1);
  await expect.poll(() => sumOf('gen_ai.client.token.usage')).toBeGreaterThan(0);
  await killed.killGroup();
  rig.startWorker(record);
  expect(await run.result()).toMatchObject({ output: 'all is done' });
  await until(() => named('invoke_agent boss').length === 1);

  const { spans } = otlp;
  const { runId } = await run.describe();
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([runId.replaceAll('-', '')]));
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  expect(tree(spans)).toEqual([
    'invoke_agent boss',
    '  chat gpt-boss',
    '    attempt 1',
    '  execute_tool hold',
    '    attempt 2',
    '      query',
    '  chat gpt-boss',
    '    attempt 1',
    '  execute_tool helper',
    '    invoke_agent helper',
    '      chat gpt-helper',
    '        attempt 1',
    '      execute_tool flaky',
    '        attempt 1 Error',
    '        attempt 2',
    '      chat gpt-helper',
    '        attempt 1',
    '  chat gpt-boss',
    '    attempt 1',
  ]);
  expect(one('execute_tool hold').attributes).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'hold',
    'reloop.call.id': '1.1',
    'reloop.call.attempts': 2,
  });
  const parent = one('invoke_agent boss');
  for (const { startMs, endMs } of spans) {
    expect(startMs).toBeGreaterThanOrEqual(parent.startMs - 1);
    expect(endMs).toBeLessThanOrEqual(parent.endMs + 1_000);
  }
  expect(JSON.stringify(spans)).not.toContain('the secret part');
});

test("the metrics of all workers add up to the run's usage", async () => {
  const { usage } = await run.describe();
  expect(usage).toMatchObject({ modelCalls: 5 });
  await expect.poll(() => sumOf('gen_ai.client.token.usage', 'input')).toBe(usage?.promptTokens);
  expect(sumOf('gen_ai.client.token.usage', 'output')).toBe(usage?.completionTokens);
  expect(sumOf('reloop.retries')).toBe(2);
  expect(new Set(otlp.points('gen_ai.client.token.usage').map(({ sender }) => sender)).size).toBe(2);
});

test("a client's span is above its run, in a session too, and a rewind stays in the trace", async () => {
  await rig.killWorkers();
  env['TELEMETRY_CONTENTS'] = '1';
  const record = join(rig.folder, 'talks');
  rig.startWorker(record);
  otlp.spans.length = 0;
  const span = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), traceFlags: TraceFlags.SAMPLED };
  const asked = await context.with(trace.setSpanContext(ROOT_CONTEXT, span), () =>
    rig.client.start('talker', 'Talk of sk-1234567890abcd.', { session: 'talk' }),
  );
  expect(await asked.result()).toMatchObject({ output: 'talked' });
  await until(() => named('invoke_agent talker').length === 1);
  await asked.rewind({ step: 2 });
  await asked.result();
  await until(() => named('invoke_agent talker').length === 2);
  expect(new Set(otlp.spans.map(({ traceId }) => traceId))).toEqual(new Set([span.traceId]));
  expect(named('invoke_agent talker').map(({ parentId }) => parentId)).toEqual([span.spanId, span.spanId]);
  expect(one('execute_tool flaky').attributes).toMatchObject({ 'gen_ai.conversation.id': 'talk' });
  expect(named('chat gpt-talker').map(({ attributes }) => attributes['reloop.call.id'])).toEqual([
    '1',
    '2',
    '2',
  ]);
  expect(new Set(otlp.spans.map(({ spanId }) => spanId)).size).toBe(otlp.spans.length);

  // Contents are there on request, without keys.
  expect(one('execute_tool flaky').attributes).toMatchObject({
    'gen_ai.tool.call.arguments': '{"input":"a word"}',
    'gen_ai.tool.call.result': 'worked on a word',
  });
  const [call] = named('chat gpt-talker').map(({ attributes }) => attributes);
  expect(call?.['gen_ai.input.messages']).toContain('Talk of ***.');
  expect(call?.['gen_ai.output.messages']).toContain('"finish_reason":"tool_calls"');
  const [attempt] = named('attempt').map(({ attributes }) => attributes);
  expect(attempt?.['reloop.prompt']).toContain('Talk of ***.');
  expect(attempt).not.toHaveProperty(['gen_ai.input.messages']);
  expect(JSON.stringify(otlp.spans)).not.toContain('sk-1234567890');

  const [entry] = linesOf(`${record}.log`).map((line) => JSON.parse(line) as object);
  expect(entry).toMatchObject({
    level: 'warn',
    message: 'asked for a word',
    workflowId: asked.id,
    activityId: '1.1',
    traceId: span.traceId,
    spanId: expect.stringMatching(/^[\da-f]{16}$/u) as string,
  });
});

test("Temporal's own metrics of a worker are served for Prometheus", async () => {
  const port = await freePort();
  const worker = rig.startWorker(undefined, undefined, ['--metrics', String(port)]);
  await worker.prints('Worker ready');
  const scraped = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const second = rig.startWorker(undefined, undefined, ['--metrics', `127.0.0.1:${port}`]);
  expect(await second.exit).toBe(2);
  expect(second.stderr()).toContain(`Temporal's metrics cannot be served at 127.0.0.1:${port}: `);
  await expect.poll(scraped).toMatch(/^temporal_\S*poll\S*\{.*task_queue="reloop"/mu);
});

/** Names of the spans below one another, by the time at which they began. */
function tree(spans: readonly RecordedSpan[], parentId = '', indent = ''): string[] {
  return spans
    .filter((span) => span.parentId === parentId)
    .toSorted((a, b) => a.startMs - b.startMs || a.endMs - b.endMs)
    .flatMap(({ name, spanId, attributes, error }) => {
      const number = attributes['reloop.attempt'];
      const line = [
        name,
        ...(typeof number === 'number' ? [number] : []),
        ...(error === undefined ? [] : [error]),
      ].join(' ');
      return [indent + line, ...tree(spans, spanId, `${indent}  `)];
    });
}
