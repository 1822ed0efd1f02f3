import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { TASK_QUEUE } from '../../agent/values/names.ts';
import { setValue } from '../../agent/values/set-value.ts';
import {
  type ConfigFile,
  configNamed,
  isTaken,
  localWorkers,
  programNamed,
  queueNamed,
  tagOf,
} from '../../local/embedded/config-queues.ts';
import type { LocalTemporal } from '../../local/embedded/open-local.ts';
import type { CommonOptions } from '../options/options.ts';
import { type Io, UsageError } from '../shell/io.ts';
import { cliName, shellWord } from '../../client/connect/cli-name.ts';

export interface CommandConfig extends ConfigFile {
  loaded: LoadedConfig;
}

/** Task queue for a config's runs, and the queues that a resident worker serves with it. */
export interface Queues {
  runs: string;
  serves: readonly string[];
}

/** The queue that the user named, if any. */
export function namedQueue({ env }: Io, { taskQueue }: Pick<CommonOptions, 'taskQueue'>): string | undefined {
  return taskQueue ?? setValue(env['TEMPORAL_TASK_QUEUE']);
}

/** Task queue for a config's runs, as far as it is known without looking for workers. */
export function usualQueue(
  config: CommandConfig | undefined,
  named: string | undefined,
  onOwnServer: boolean,
): string {
  const usual = named ?? config?.loaded.taskQueue ?? TASK_QUEUE;
  if (config === undefined || named !== undefined || !onOwnServer || usual !== TASK_QUEUE) return usual;
  return config.isOwn ? TASK_QUEUE : queueNamed(config);
}

/**
 * Queues of a config. Several configs may be at work on our own server at once, and workers of one queue take each other's
 * runs. So the project's own config has the default queue, and any other config a queue named after its file. A long-running
 * worker also serves the default queue if it is free, for programs that start runs. A queue named by the user is used
 * unchanged. So is the default queue on a server named by the user.
 */
export async function queuesOf(
  context: Pick<LocalTemporal, 'client' | 'embedded'>,
  config: CommandConfig | undefined,
  named: string | undefined,
): Promise<Queues> {
  const usual = named ?? config?.loaded.taskQueue ?? TASK_QUEUE;
  if (config === undefined || named !== undefined || context.embedded === undefined || usual !== TASK_QUEUE) {
    return { runs: usual, serves: [usual] };
  }
  const own = queueNamed(config);
  if (await isTaken(context.client.temporal, config)) return { runs: own, serves: [own] };
  return config.isOwn ? { runs: TASK_QUEUE, serves: [TASK_QUEUE] } : { runs: own, serves: [TASK_QUEUE, own] };
}

/** Throws UsageError if `thing` is on a queue that workers of another config serve. */
export async function checkQueueOf(
  context: Pick<LocalTemporal, 'client' | 'embedded'>,
  thing: string,
  taskQueue: string,
  config: CommandConfig,
): Promise<void> {
  const name = configNamed(taskQueue);
  const namedByUser = name === undefined && taskQueue !== TASK_QUEUE;
  if (context.embedded === undefined || name === config.file || namedByUser) return;
  const workers = await localWorkers(context.client.temporal, taskQueue);
  const isUsual = workers.length === 0 && taskQueue === TASK_QUEUE;
  if (isUsual ? config.isOwn : workers.some((worker) => worker.config === tagOf(config))) return;
  const how = name === undefined ? "the project's own config" : `--config ${shellWord(name)}`;
  const again = name === undefined ? 'leave --config out' : `write --config ${shellWord(name)}`;
  throw new UsageError(
    `${thing} was started with ${how} (task queue ${taskQueue}) and continues there: ${again}, or start another.`,
  );
}

/** The command that serves a queue, to be typed; or the program that does. */
export function serving(command: 'worker' | 'dev', taskQueue: string): string {
  const program = programNamed(taskQueue);
  if (program !== undefined) return `its program, ${program}`;
  const name = configNamed(taskQueue);
  const option = name === undefined ? ['--task-queue', taskQueue] : ['--config', name];
  const isUsual = taskQueue === TASK_QUEUE;
  return `\`${[cliName(), command, ...(isUsual ? [] : option.map(shellWord))].join(' ')}\``;
}
