import { randomBytes } from 'node:crypto';

/** Ids of the span that is started next. */
interface SpanIds {
  traceId: string;
  spanId: string;
}

/** One place for all copies of this module: a config may bring another one than the command has. */
const KEY = Symbol.for('reloop.traceIds');
const shared = globalThis as unknown as { [KEY]?: SpanIds | undefined };

/**
 * The `idGenerator` of the OpenTelemetry SDK of a worker. A run and its calls have spans whose ids all workers know beforehand; any other
 * span gets random ids, as without it.
 */
export const traceIds = {
  /** 32 hex digits. */
  generateTraceId: (): string => shared[KEY]?.traceId ?? randomBytes(16).toString('hex'),
  /** 16 hex digits. */
  generateSpanId: (): string => shared[KEY]?.spanId ?? randomBytes(8).toString('hex'),
};

/** Gives these ids to the span that `start` starts. */
export function withIds<T>(ids: SpanIds, start: () => T): T {
  shared[KEY] = ids;
  try {
    return start();
  } finally {
    shared[KEY] = undefined;
  }
}
