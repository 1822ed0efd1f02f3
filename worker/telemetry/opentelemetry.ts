import { setTimeout as sleep } from 'node:timers/promises';
import {
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  context as contexts,
  isSpanContextValid,
  metrics,
  trace as traces,
} from '@opentelemetry/api';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { type Payload, defaultPayloadConverter } from '@temporalio/common';
import { errorType } from '../../activities/attempt/errors.ts';
import { withoutSchedule } from '../../agent/calls/calls.ts';
import type { RunSpan } from '../../agent/views/run-spans.ts';
import { withoutSecrets } from '../../agent/text/secrets.ts';
import { fieldOf } from '../../agent/values/values.ts';
import {
  TRACE_HEADER,
  type TraceContext,
  idOf,
  readTraceparent,
  traceIdOf,
  traceparent,
} from '../../agent/values/trace-context.ts';
import type { Model } from '../../adapters/models/model.ts';
import { CALL_SPAN, createCallFacts, measuredCall } from './measured-call.ts';
import { type Measures, createMeasures } from './measures.ts';
import { type SpanText, spanText } from './span-attributes.ts';
import type { Telemetry, TelemetryServer } from './telemetry.ts';
import { traceIds, withIds } from './trace-ids.ts';
import type { Price } from '../../agent/definition/price.ts';

const NAME = 'reloop';
const FLUSH_MS = 5_000;

export interface TelemetryParts {
  contents: boolean;
  models: ReadonlyMap<string, Model>;
  priceOf(model: string): Price | undefined;
  /** Description of an agent of the config. */
  descriptionOf(agent: string): string | undefined;
  server: TelemetryServer;
}

/** Reason why the SDK of this process does not record; undefined if it does. */
export function sdkProblem(): { severity: 'warning' | 'error'; message: string } | undefined {
  const ids = { traceId: traceIds.generateTraceId(), spanId: traceIds.generateSpanId() };
  const probe = withIds(ids, () => tracer().startSpan('reloop', { root: true })).spanContext();
  if (!isSpanContextValid(probe)) {
    return {
      severity: 'warning',
      message:
        'telemetry: no OpenTelemetry SDK is registered in this process, so no span is sent. Start one at the top of the config: docs/telemetry.md.',
    };
  }
  if (probe.traceId === ids.traceId && probe.spanId === ids.spanId) return undefined;
  return {
    severity: 'error',
    message:
      "telemetry: the OpenTelemetry SDK of this process makes its own span ids, so attempts would not find their calls. Give it Reloop's: import { traceIds } from 'reloop', and { idGenerator: traceIds } to NodeSDK or to the tracer provider.",
  };
}

export function createTelemetry({
  contents,
  models,
  priceOf,
  descriptionOf,
  server,
}: TelemetryParts): Telemetry {
  const facts = createCallFacts();
  const measures = createMeasures(metrics.getMeter(NAME), server);
  const providerOf = (adapter: string) =>
    models.get(adapter)?.provider ?? (adapter.startsWith('agent:') ? 'custom' : adapter);
  const textOf = (span: RunSpan) => {
    const description = descriptionOf(span.name);
    return spanText(span, { providerOf, contents, description, facts: facts.get(span.spanId) });
  };
  return {
    begin: ({ agent, runId }, caller) => {
      if (caller !== undefined && readTraceparent(caller) !== undefined) return caller;
      return ownTraceparent(agent, runId);
    },
    sinks: {
      span(span) {
        measures.ended(span);
        if (span.sampled) sendSpan(span, textOf(span), contents);
        facts.delete(span.spanId);
      },
      wait: measures.waits,
    },
    outage: ({ adapter, model, isOpen }) => measures.outage({ provider: providerOf(adapter), model }, isOpen),
    interceptor: attemptSpans(measures),
    limitWaited: measures.limitWaited,
    budgetCounted: measures.budgetCounted,
    measured: (all) =>
      new Map(
        [...all].map(([adapter, model]) => {
          const about = { provider: providerOf(adapter), priceOf, measures, contents, facts };
          return [adapter, { ...model, call: measuredCall(model, about) }];
        }),
      ),
  };
}

function tracer() {
  return traces.getTracer(NAME);
}

/** The sampler sees the span that is sent when the run is over. */
function ownTraceparent(agent: string, runId: string): string {
  const traceId = traceIdOf(runId);
  const probe = withIds({ traceId, spanId: idOf([runId, 0]) }, () =>
    tracer().startSpan(`invoke_agent ${agent}`, {
      root: true,
      attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': agent },
    }),
  );
  const sampled = (probe.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
  return traceparent({ traceId, spanId: undefined, sampled });
}

/** The context of code under a span that another process has, or will have. */
function remote({ traceId, spanId = '' }: Pick<TraceContext, 'traceId' | 'spanId'>) {
  const parent = { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
  return traces.setSpanContext(ROOT_CONTEXT, parent);
}

/** Starts and ends the span of a run or a call, with the times that the run has recorded. */
function sendSpan(span: RunSpan, { name, attributes }: SpanText, contents: boolean): void {
  const { traceId, spanId, parentId, startMs, endMs, marks, error } = span;
  const kind = span.type === 'model' ? SpanKind.CLIENT : SpanKind.INTERNAL;
  const options = { kind, attributes, startTime: new Date(startMs), root: parentId === undefined };
  const parent = parentId === undefined ? ROOT_CONTEXT : remote({ traceId, spanId: parentId });
  const sent = withIds({ traceId, spanId }, () => tracer().startSpan(name, options, parent));
  for (const { at, name: mark, detail } of marks) {
    sent.addEvent(`reloop.${mark}`, detail === undefined ? {} : { 'reloop.detail': detail }, new Date(at));
  }
  if (error !== undefined) setError(sent, error, contents);
  sent.end(new Date(endMs));
}

/** A message may hold contents; the type does not. */
function setError(span: Span, { type, message }: { type: string; message: string }, contents: boolean): void {
  span.setAttribute('error.type', type);
  span.setStatus({
    code: SpanStatusCode.ERROR,
    message: contents ? withoutSecrets(message, []) : type,
  });
}

function attemptSpans(measures: Measures): ActivityInterceptorsFactory {
  return ({ info }) => {
    let parent: TraceContext | undefined;
    return {
      inbound: {
        async execute(input, next) {
          parent = headerOf(input.headers);
          measures.attempt(info);
          if (parent === undefined) return next(input);
          const attributes = {
            'reloop.call.id': withoutSchedule(info.activityId),
            'reloop.attempt': info.attempt,
            'reloop.activity': info.activityType,
            'reloop.run.id': info.workflowExecution?.workflowId,
          };
          const under = remote(parent).setValue(CALL_SPAN, parent.spanId);
          return tracer().startActiveSpan('attempt', { attributes }, under, async (span) => {
            try {
              return await next(input);
            } catch (error) {
              const type = errorType(error);
              setError(span, { type, message: type }, false);
              throw error;
            } finally {
              span.end();
            }
          });
        },
      },
      outbound: {
        getLogAttributes(input, next) {
          const spanId = traces.getSpan(contexts.active())?.spanContext().spanId;
          return next(parent === undefined ? input : { ...input, traceId: parent.traceId, spanId });
        },
      },
    };
  };
}

function headerOf(headers: { [name: string]: Payload }): TraceContext | undefined {
  const header = headers[TRACE_HEADER];
  const text = header && fieldOf(defaultPayloadConverter.fromPayload(header), 'traceparent');
  const found = typeof text === 'string' ? readTraceparent(text) : undefined;
  return found?.sampled === true ? found : undefined;
}

/** Providers of the SDK have this method, and the API's types do not. */
interface Flushing {
  forceFlush?(): Promise<void>;
  getDelegate?(): Flushing;
}

/** Never rejects. */
export async function flush(): Promise<void> {
  const provider = traces.getTracerProvider() as Flushing;
  const all = [provider.getDelegate?.() ?? provider, metrics.getMeterProvider() as Flushing];
  // The SDK reports its own errors.
  const sent = Promise.allSettled(all.map(async (one) => one.forceFlush?.()));
  await Promise.race([sent, sleep(FLUSH_MS, undefined, { ref: false })]);
}
