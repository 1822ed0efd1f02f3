import type { Json } from '../../agent/values/vocabulary.ts';
import type { ToolContext } from './tool.ts';

/** A tool's use of its context. */
export interface TestToolContext extends ToolContext {
  readonly checkpoints: readonly Json[];
  readonly progressTexts: readonly string[];
  readonly logged: readonly { level: 'info' | 'warn'; text: string }[];
}

/**
 * A context for a test of a tool: `await tool.run(input, toolContext())`. It keeps the tool's checkpoints, progress and
 * logs, and returns the last checkpoint as `lastCheckpoint`. The test's own fields come first; `complete` needs one,
 * with the model's answer.
 */
export function toolContext(given: Partial<ToolContext> = {}): TestToolContext {
  const checkpoints: Json[] = [];
  const progressTexts: string[] = [];
  const logged: { level: 'info' | 'warn'; text: string }[] = [];
  const context: TestToolContext = {
    signal: new AbortController().signal,
    progress: (text) => void progressTexts.push(text),
    checkpoint: async (value) => {
      // The value comes back in this form after a crash.
      const stored = JSON.parse(JSON.stringify(value)) as Json; // JSON.parse makes nothing but JSON values
      checkpoints.push(stored);
      context.lastCheckpoint = stored;
      return Promise.resolve();
    },
    lastCheckpoint: undefined,
    idempotencyKey: 'test-key',
    earlierCalls: () => Promise.resolve([]),
    defer: () => Promise.resolve({ token: 'test-token' }),
    complete: (prompt) =>
      Promise.reject(
        new Error(
          `The tool asks a model, and the test gave no answer: toolContext({ complete: async () => '…' }). The prompt is: ${prompt}`,
        ),
      ),
    commit: () => Promise.resolve(),
    context: {},
    tenant: () => Promise.resolve(undefined),
    attempt: 1,
    callId: '1.1',
    runId: 'test-run',
    log: {
      info: (text) => void logged.push({ level: 'info', text }),
      warn: (text) => void logged.push({ level: 'warn', text }),
    },
    ...given,
    checkpoints,
    progressTexts,
    logged,
  };
  return context;
}
