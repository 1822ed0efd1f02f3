import { randomUUID } from 'node:crypto';
import { isMainThread } from 'node:worker_threads';
import { InvalidInput } from '../../agent/values/refusal.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { RunResultWithSteps } from '../../client/report.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import type { RecordedRequest } from '../../adapters/models/scripted/script.ts';
import { type TestConfigOptions, testConfig } from './test-config.ts';
import type { TestRunOptions } from './test-run.ts';

export interface TestAgentsOptions extends TestConfigOptions {
  /**
   * Called for each line of the worker's log: warnings, errors, logs of tools. Default: kept in `log`, and not printed.
   */
  onLog?: ((line: string) => void) | undefined;
}

/** The agents of a config at work, for a test. */
export interface TestAgents {
  /** Client for all that `run` does not do: sessions, events, decisions, batches. This worker serves its runs. */
  client: AgentClient;
  /**
   * Runs an agent to its end. Throws the errors of `client.run()`, with the steps so far in the message, and RunWaits
   * where the run waits for a person and `onWaiting` is not given.
   */
  run(agent: string, input: string, options?: TestRunOptions): Promise<RunResultWithSteps>;
  /** Requests to an agent's scripted model so far, oldest first. Throws InvalidInput for an agent without one. */
  requests(agent: string): readonly RecordedRequest[];
  /** Lines of the worker's log so far. */
  log: readonly string[];
  /** Ends the worker; the server ends with the process. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * A worker for the agents of a config on a Temporal server of the tests' own, in memory, which the tests of a process
 * share. No model is asked but scripted ones, unless `allowRealModels` says so. Runs as in production but for one thing:
 * attempts follow one another at once. Throws ConfigError, InvalidInput (also in a worker thread), and TemporalUnreachable where no server can be had.
 */
export async function testAgents(
  config: ConfigDefinition,
  { onLog, ...options }: TestAgentsOptions = {},
): Promise<TestAgents> {
  refuseInThread();
  const { loaded, requests } = testConfig(config, options);
  // Load the worker's modules while the server starts.
  const [{ address, namespace }, { openLocal }, { runToEnd }] = await Promise.all([
    import('../../local/embedded/test-server.ts').then(({ testServer }) => testServer()),
    import('../../local/embedded/open-local.ts'),
    import('./test-run.ts'),
  ]);
  const log: string[] = [];
  const taskQueue = `test-${randomUUID()}`;
  const temporal = { address, namespace, connection: {} };
  const { client, startWorker, workerFailed, close } = await openLocal({
    temporal,
    taskQueue,
    encryption: loaded.encryption,
    storage: loaded.storage,
  });
  try {
    await startWorker(loaded, {
      taskQueues: [taskQueue],
      role: 'program',
      onLog: (line) => (log.push(line), onLog?.(line)),
    });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    client,
    log,
    requests,
    close,
    run: (agent, input, runOptions = {}) =>
      Promise.race([runToEnd(client, agent, input, runOptions), workerFailed]),
    [Symbol.asyncDispose]: close,
  };
}

/** Temporal's worker is native code: when a thread ends with it, the whole test process dies of a segmentation fault. */
function refuseInThread(): void {
  if (isMainThread) return;
  throw new InvalidInput(
    "testAgents() needs a process, and this test runs in a thread. In vitest's config, set `pool: 'forks'` (vitest's default) for these tests, in place of 'threads' or 'vmThreads'.",
  );
}
