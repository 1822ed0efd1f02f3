import { withoutPlace } from '../agent/template.ts';
import { overridesOf } from '../client/overrides.ts';
import type { StartOptions } from '../client/start-options.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { findConfig } from '../config/load.ts';
import { loadCommandConfig } from './command-config.ts';
import { UsageError } from './exit-codes.ts';
import type { CommonOptions } from './options.ts';
import type { CommandConfig } from './task-queue.ts';

/**
 * The config of a command that starts runs. The workers of a server that somebody named may have one that is not here:
 * then undefined. Throws ConfigError.
 */
export async function configFor(
  { config }: CommonOptions,
  serverIsNamed: boolean,
): Promise<CommandConfig | undefined> {
  if (config === undefined && serverIsNamed && findConfig() === undefined) return undefined;
  return loadCommandConfig(config);
}

/** Throws for an agent that is not in the config. */
export function checkAgent({ agents }: LoadedConfig, name: string): void {
  if (agents.has(name)) return;
  throw new UsageError(`There is no agent "${name}". The config has: ${[...agents.keys()].join(', ')}.`);
}

/** Throws when the agent's model cannot be asked from here: no key, for instance. */
export function checkModel(loaded: LoadedConfig, name: string, model: string | undefined): void {
  const manifest = loaded.manifest(name, { model });
  const problem = loaded.models.get(manifest?.adapter ?? '')?.validate?.();
  if (problem !== undefined) throw new UsageError(`Agent "${name}": ${problem}`);
}

/** Throws for what the agent cannot keep to in a run: a budget of money without a price, for instance. */
export function checkOverrides(loaded: LoadedConfig, name: string, options: StartOptions): void {
  loaded.manifest(name, overridesOf(options));
}

/** Throws for a value that no prompt text of the agent has a place for. */
export function checkVariables(
  loaded: LoadedConfig,
  name: string,
  variables: { [name: string]: string },
): void {
  const { prompt = {} } = loaded.manifest(name, {}) ?? {};
  const unused = withoutPlace(Object.keys(variables), prompt);
  if (unused.length === 0) return;
  throw new UsageError(
    `No prompt text of agent "${name}" has a place for ${unused.map((variable) => `{${variable}}`).join(', ')}. Its texts: ${Object.keys(prompt).join(', ')}.`,
  );
}
