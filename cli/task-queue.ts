import type { LoadedConfig } from '../config/loaded-config.ts';
import { TASK_QUEUE } from '../agent/names.ts';
import { type ConfigFile, configNamed, programNamed, queueNamed } from '../embedded/queue-names.ts';
import { shellWord } from './print/display.ts';
import { reloop } from '../client/typed-command.ts';

/** A config as a command has loaded it. */
export interface CommandConfig extends ConfigFile {
  loaded: LoadedConfig;
}

/** Where a config's runs are started, as far as that can be said without looking at who works there. */
export function usualQueue(
  config: CommandConfig | undefined,
  named: string | undefined,
  onOwnServer: boolean,
): string {
  const usual = named ?? config?.loaded.taskQueue ?? TASK_QUEUE;
  if (config === undefined || named !== undefined || !onOwnServer || usual !== TASK_QUEUE) return usual;
  return config.isOwn ? TASK_QUEUE : queueNamed(config);
}

/** The command that serves a queue, to be typed; or the program that does. */
export function serving(command: 'worker' | 'dev', taskQueue: string): string {
  const program = programNamed(taskQueue);
  if (program !== undefined) return `its program, ${program}`;
  const name = configNamed(taskQueue);
  return `\`${reloop()} ${command}${name === undefined ? '' : ` --config ${shellWord(name)}`}\``;
}
