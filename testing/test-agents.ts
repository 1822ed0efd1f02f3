import { randomUUID } from 'node:crypto';
import type { AgentClient } from '../client/agent-client.ts';
import type { RunResultWithSteps } from '../client/agent-run.ts';
import type { ConfigDefinition } from '../config/define.ts';
import type { RecordedRequest } from '../models/scripted/script.ts';
import { type TestConfigOptions, testConfig } from './test-config.ts';
import type { TestRunOptions } from './test-run.ts';

export interface TestAgentsOptions extends TestConfigOptions {
  /** Told the worker's log: warnings, errors, and what tools log. Default: kept in `log`, and not printed. */
  onLog?: ((line: string) => void) | undefined;
}

/** The agents of a config at work, for a test. */
export interface TestAgents {
  /** For all that `run` does not do: sessions, events, decisions, batches. Its runs are this worker's. */
  client: AgentClient;
  /**
   * Runs an agent to its end. Throws what `client.run()` throws, with the steps so far in the message, and RunWaits where the
   * run waits for a person and `onWaiting` is not given.
   */
  run(agent: string, input: string, options?: TestRunOptions): Promise<RunResultWithSteps>;
  /** What an agent's scripted model was asked so far, oldest first. Throws InvalidInput for an agent without one. */
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
 * attempts follow one another at once. Throws ConfigError, InvalidInput, and TemporalUnreachable where no server can be had.
 */
export async function testAgents(
  config: ConfigDefinition,
  { onLog, ...options }: TestAgentsOptions = {},
): Promise<TestAgents> {
  const { loaded, requests } = testConfig(config, options);
  // What a worker needs is loaded while the server starts.
  const [{ address, namespace }, { workHere }, { connectTo }, { runToEnd }] = await Promise.all([
    import('../embedded/test-server.ts').then(({ testServer }) => testServer()),
    import('../embedded/work-here.ts'),
    import('../client/connect.ts'),
    import('./test-run.ts'),
  ]);
  const log: string[] = [];
  const temporal = await connectTo(address, namespace);
  const { client, failed, stop } = await workHere(
    loaded,
    { temporal, address, namespace, connection: {} },
    { taskQueue: `test-${randomUUID()}`, onLog: (line) => (log.push(line), onLog?.(line)) },
  );
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= stop().then(() => temporal.connection.close()));
  return {
    client,
    log,
    requests,
    close,
    run: (agent, input, runOptions = {}) =>
      Promise.race([runToEnd(client, agent, input, runOptions), failed]),
    [Symbol.asyncDispose]: close,
  };
}
