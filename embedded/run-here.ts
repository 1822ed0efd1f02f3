import type { RunResultWithSteps } from '../client/agent-run.ts';
import type { ConfigDefinition } from '../config/define.ts';
import type { RunHereOptions } from './embedded.ts';

/**
 * Runs an agent in this program, with Temporal and a worker of its own, and waits for the answer; for more than that there is
 * `startEmbedded`. With an `id` the run outlives the program: started again, it goes on where it was, and once it has
 * ended its answer is read from the record. `config`: undefined for the project's `reloop.config.ts`. Throws ConfigError,
 * InvalidInput, TemporalUnreachable, and as `client.run()` does AgentRunFailed and AgentRunCancelled.
 */
export async function runAgentHere(
  config: ConfigDefinition | undefined,
  agent: string,
  input: string,
  options: RunHereOptions = {},
): Promise<RunResultWithSteps> {
  const { runHere } = await import('./follow-here.ts');
  return runHere(config, agent, input, options);
}
