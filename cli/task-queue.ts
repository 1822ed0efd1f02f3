import type { LoadedConfig } from '../config/loaded-config.ts';
import { TASK_QUEUE } from '../agent/names.ts';
import { shellWord } from './print/display.ts';

/** A config as a command has loaded it. */
export interface CommandConfig {
  loaded: LoadedConfig;
  /** Its path within the project. */
  file: string;
  /** The one that commands find by themselves; any other is named with --config. */
  isOwn: boolean;
}

const PREFIX = `${TASK_QUEUE}:`;

/** The queue that is called after a config. */
export function queueNamed({ file }: Pick<CommandConfig, 'file'>): string {
  return PREFIX + file;
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

/** The path within the project of the config that a queue is called after. */
export function configNamed(taskQueue: string): string | undefined {
  return taskQueue.startsWith(PREFIX) ? taskQueue.slice(PREFIX.length) : undefined;
}

/** The command that serves a queue, to be typed. */
export function serving(command: 'worker' | 'dev', taskQueue: string): string {
  const name = configNamed(taskQueue);
  return `\`reloop ${command}${name === undefined ? '' : ` --config ${shellWord(name)}`}\``;
}
