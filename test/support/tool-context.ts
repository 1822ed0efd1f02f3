import type { ToolContext } from '../../tools/tool.ts';

/** A plain context for a tool under test; what the test does not give is harmless, except asking a model. */
export function toolContext(given: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    progress: () => undefined,
    checkpoint: () => Promise.resolve(),
    lastCheckpoint: undefined,
    idempotencyKey: 'key',
    earlierCalls: () => Promise.resolve([]),
    complete: (prompt) =>
      Promise.reject(new Error(`The test expected no question to a model, but got: ${prompt}`)),
    attempt: 1,
    callId: '1.1',
    runId: 'run',
    log: { info: () => undefined, warn: () => undefined },
    ...given,
  };
}
