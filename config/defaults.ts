/** Every default of an agent and of a tool, in one place. Durations are Temporal's strings. */
export const agentDefaults = {
  kind: 'zero-shot',
  maxIterations: 15,
  maxExecutionTime: null,
  handleParsingErrors: true,
  trimIntermediateSteps: -1,
  api: 'chat',
  stream: true,
  requestTimeout: '10m',
  /** After a failure the waits are 0.5, 1, 2 and 4 s, unless the provider asks for others. */
  modelRetry: { maxAttempts: 5, initialMs: 500, backoff: 2, maximumMs: 30_000 },
} as const;

export const toolDefaults = {
  timeout: '5m',
  retry: { maxAttempts: 3, initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  effects: 'idempotent',
  onFailure: 'ask',
  returnDirect: false,
  maxOutputChars: 100_000,
} as const;

export const TASK_QUEUE = 'reloop';

/** Bytes of transcripts a worker keeps in memory. */
export const TRANSCRIPT_CACHE_BYTES = 64_000_000;
