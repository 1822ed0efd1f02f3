import { type RunOverrides, checkOverrides } from '../agent/overrides.ts';
import { InvalidInput } from './errors.ts';

/** What a start may have in place of the agent's own. JavaScript does not check types. */
interface GivenOverrides {
  model?: unknown;
  maxIterations?: unknown;
  maxExecutionTime?: unknown;
  budget?: unknown;
}

/** Throws InvalidInput: a workflow that was started with a limit that is none could never take its first step. */
export function overridesOf({
  model,
  maxIterations,
  maxExecutionTime,
  budget,
}: GivenOverrides): RunOverrides {
  const given = Object.entries({ model, maxIterations, maxExecutionTimeMs: maxExecutionTime, budget });
  const overrides = Object.fromEntries(given.filter(([, value]) => value !== undefined));
  const problem = checkOverrides(overrides);
  if (problem === undefined) return overrides;
  throw new InvalidInput(problem.replace('maxExecutionTimeMs', 'maxExecutionTime'));
}
