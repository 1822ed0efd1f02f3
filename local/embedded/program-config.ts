import { relative } from 'node:path';
import { TASK_QUEUE } from '../../agent/values/names.ts';
import { projectFolder } from '../server/project-folder.ts';
import { checkConfig } from '../../config/check.ts';
import { workerOptions } from '../../config/config-options.ts';
import { type ConfigDefinition, ConfigError } from '../../config/define.ts';
import { findConfig, loadConfig } from '../../config/load/load.ts';
import { type LoadedConfig, createLoadedConfig } from '../../config/load/loaded-config.ts';
import { type ConfigFile, isTaken, programQueue, queueNamed } from './config-queues.ts';
import type { LocalTemporal } from './open-local.ts';

/** The config of a program: its own, or the project's. */
export interface ProgramConfig {
  loaded: LoadedConfig;
  /** The definition that the program passed. */
  definition: ConfigDefinition | undefined;
}

/** `where`: which function was given it. Throws ConfigError. */
export async function readConfig(
  definition: ConfigDefinition | undefined,
  where: string,
): Promise<ProgramConfig> {
  const loaded =
    definition === undefined ? await loadConfig() : createLoadedConfig(checkConfig(definition, where));
  return { loaded, definition };
}

/** Throws ConfigError for an agent that is not there, or that cannot be run here. */
export function checkAgent({ loaded }: ProgramConfig, agent: string): void {
  if (!loaded.agents.has(agent)) {
    throw new ConfigError(
      `The config has no agent "${agent}". It has: ${[...loaded.agents.keys()].join(', ')}.`,
    );
  }
  const problem = loaded.validate(agent);
  if (problem !== undefined) throw new ConfigError(`Agent "${agent}": ${problem}`);
}

/** Task queue of the program's runs, by the same rule as for commands. */
export async function queueOf(
  { loaded, definition }: ProgramConfig,
  { client, embedded }: LocalTemporal,
  named: string | undefined,
): Promise<string> {
  const usual = named ?? loaded.taskQueue;
  if (named !== undefined || usual !== TASK_QUEUE) return usual;
  if (definition !== undefined) return programQueue();
  const config: ConfigFile = { file: relative(projectFolder(), findConfig() ?? ''), isOwn: true };
  const isOther = embedded !== undefined && (await isTaken(client.temporal, config));
  return isOther ? queueNamed(config) : TASK_QUEUE;
}

/** True if two configs have the same parts: then one worker serves both. */
export function isSame(one: ProgramConfig, other: ProgramConfig): boolean {
  const [a, b] = [one.definition, other.definition];
  if (a === undefined || b === undefined) return a === b;
  const [parts, others] = [partsOf(a), partsOf(b)];
  return parts.length === others.length && parts.every((part, index) => part === others[index]);
}

function partsOf(definition: ConfigDefinition) {
  const { agents, tools = [] } = definition;
  return [...workerOptions.map((name) => definition[name]), agents.length, ...agents, ...tools];
}
