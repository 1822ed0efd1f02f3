import { traceparent } from '../../agent/values/trace-context.ts';

/** OpenTelemetry's API keeps there what an SDK of the process has registered, for all copies of the package. */
const REGISTERED = Symbol.for('opentelemetry.js.api.1');

/** `traceparent` of the active span of this program; undefined without one. Loads nothing in a process without an SDK. */
export async function callerTrace(): Promise<string | undefined> {
  if (!(REGISTERED in globalThis)) return undefined;
  // The program has the package, which may not be in a place where this file finds it.
  const api = await import('@opentelemetry/api').catch(() => undefined);
  const span = api?.trace.getActiveSpan()?.spanContext();
  if (api === undefined || span === undefined || !api.isSpanContextValid(span)) return undefined;
  const { traceId, spanId, traceFlags } = span;
  return traceparent({ traceId, spanId, sampled: (traceFlags & api.TraceFlags.SAMPLED) !== 0 });
}
