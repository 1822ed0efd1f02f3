import type { RunResultWithSteps } from '../../client/report.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import type { Embedded, EmbeddedOptions } from './open-program.ts';
import type { RunHereOptions } from './run-in-process.ts';

/**
 * Temporal and a worker for a config, in this program: the server that TEMPORAL_ADDRESS or temporal.toml names, or
 * this project's own, shared with `reloop` and other programs, started where it is not running. `config`: default the
 * project's `reloop.config.ts`. Runs that an earlier start of the program left continue. Throws ConfigError,
 * TemporalUnreachable.
 */
export async function startEmbedded(
  config?: ConfigDefinition,
  options: EmbeddedOptions = {},
): Promise<Embedded> {
  const [{ readConfig }, { openProgram }] = await Promise.all([
    import('./program-config.ts'),
    import('./open-program.ts'),
  ]);
  return openProgram(await readConfig(config, 'startEmbedded'), options);
}

/**
 * Runs an agent in this program, with Temporal and a separate worker, and waits for the answer; for more than that
 * there is `startEmbedded`. With an `id` the run outlives the program: started again, it continues where it was, and
 * once it has ended its answer is read from the record. `config`: undefined for the project's `reloop.config.ts`.
 * Throws ConfigError, InvalidInput, TemporalUnreachable, and as `client.run()` does AgentRunFailed and
 * AgentRunCancelled.
 */
export async function runAgentHere(
  config: ConfigDefinition | undefined,
  agent: string,
  input: string,
  options: RunHereOptions = {},
): Promise<RunResultWithSteps> {
  const { runInProcess } = await import('./run-in-process.ts');
  return runInProcess(config, agent, input, options);
}
