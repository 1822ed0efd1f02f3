import { relative } from 'node:path';
import { TASK_QUEUE } from '../agent/names.ts';
import { projectFolder } from '../client/project-folder.ts';
import { checkConfig } from '../config/check.ts';
import { type ConfigDefinition, ConfigError } from '../config/define.ts';
import { findConfig, loadConfig } from '../config/load.ts';
import { type LoadedConfig, createLoadedConfig } from '../config/loaded-config.ts';
import type { ServerHere } from './work-here.ts';
import { type ConfigFile, programQueue, queueNamed } from './queue-names.ts';
import { isTaken } from './workers-here.ts';

/** The config of a program: one that it brings, or the project's. */
export interface ProgramConfig {
  loaded: LoadedConfig;
  /** As it was given. */
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

/** Where the program's runs are, by the rule that commands go by. */
export async function queueOf(
  { loaded, definition }: ProgramConfig,
  { temporal, isOwn }: ServerHere & { isOwn: boolean },
  named: string | undefined,
): Promise<string> {
  const usual = named ?? loaded.taskQueue;
  if (named !== undefined || usual !== TASK_QUEUE) return usual;
  if (definition !== undefined) return programQueue();
  const config: ConfigFile = { file: relative(projectFolder(), findConfig() ?? ''), isOwn: true };
  return isOwn && (await isTaken(temporal, config)) ? queueNamed(config) : TASK_QUEUE;
}

/** Whether two configs are of the same parts: then one worker does for both. */
export function isSame(one: ProgramConfig, other: ProgramConfig): boolean {
  const [a, b] = [one.definition, other.definition];
  if (a === undefined || b === undefined) return a === b;
  const lists = [
    [a.agents, b.agents],
    [a.tools ?? [], b.tools ?? []],
  ] as const;
  return (
    lists.every(([x, y]) => x.length === y.length && x.every((part, index) => part === y[index])) &&
    a.models === b.models &&
    a.prices === b.prices &&
    a.cache === b.cache &&
    a.onEvent === b.onEvent &&
    a.taskQueue === b.taskQueue
  );
}
