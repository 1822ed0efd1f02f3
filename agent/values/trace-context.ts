import { EMPTY_DIGEST, extendDigest } from './digest.ts';

/** A place in a trace, as W3C Trace Context and OpenTelemetry have it. */
export interface TraceContext {
  /** 32 hex digits. */
  traceId: string;
  /** 16 hex digits; undefined: the trace has no span above. */
  spanId: string | undefined;
  /** The process that started the trace records it. */
  sampled: boolean;
}

/** Header in which the OpenTelemetry interceptors of all Temporal SDKs send `{ traceparent }`. */
export const TRACE_HEADER = '_tracer-data';

const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/** The text of the W3C header `traceparent`, 55 characters. A trace without a span above has zeros in its place. */
export function traceparent({ traceId, spanId = NO_SPAN, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** The inverse of {@link traceparent}, also for later versions of the header; undefined for any other text. */
export function readTraceparent(text: string): TraceContext | undefined {
  const match = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:$|-)/u.exec(text);
  if (match === null) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = match;
  return {
    traceId,
    spanId: spanId === NO_SPAN ? undefined : spanId,
    sampled: (Number.parseInt(flags, 16) & 1) === 1,
  };
}

/** The `traceparent` of a run that starts a new trace, whose id it does not know yet: see {@link ownTrace}. */
export function newTrace(sampled: boolean): string {
  return traceparent({ traceId: NO_TRACE, spanId: undefined, sampled });
}

/** Gives a run's own trace its id: the run id, a UUID, without the dashes. Any other trace stays as it is. */
export function ownTrace(context: TraceContext, runId: string): TraceContext {
  return context.traceId === NO_TRACE ? { ...context, traceId: traceIdOf(runId) } : context;
}

export function traceIdOf(runId: string): string {
  const digits = runId.replaceAll('-', '').toLowerCase();
  return /^[\da-f]{32}$/u.test(digits) ? digits : idOf([runId]) + idOf([runId, 'trace']);
}

/** A span's id, 16 hex digits: the same for the same parts, in every process and replay. */
export function idOf(parts: readonly (string | number)[]): string {
  const id = extendDigest(EMPTY_DIGEST, JSON.stringify(parts));
  return id === NO_SPAN ? `${NO_SPAN.slice(1)}1` : id;
}

/** Says why a value is not the `traceparent` of a start; undefined for one that is, or none. */
export function traceProblem(value: unknown): string | undefined {
  if (value === undefined || (typeof value === 'string' && readTraceparent(value) !== undefined))
    return undefined;
  return 'traceparent is a text such as 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01.';
}
