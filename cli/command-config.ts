import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { findConfig, loadConfig } from '../config/load.ts';
import { projectFolder } from '../client/project-folder.ts';
import { TASK_QUEUE } from '../agent/names.ts';
import { configNamed, programNamed, queueNamed } from '../embedded/queue-names.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit-codes.ts';
import { shellWord } from './print/display.ts';
import type { CommandConfig } from './task-queue.ts';

/** Where a config's runs are started, and which queues a worker that stays serves with it. */
export interface Queues {
  runs: string;
  serves: readonly string[];
}

/** Throws ConfigError. */
export async function loadCommandConfig(
  file: string | undefined,
  onImport?: (file: string) => void,
): Promise<CommandConfig> {
  const loaded = await loadConfig(file, onImport);
  const own = findConfig();
  const path = file === undefined ? own : resolve(file);
  return { loaded, file: relative(projectFolder(), path ?? ''), isOwn: path === own };
}

/** The config for what is on a queue: the one of `--config`, else the one that the queue is called after. Throws ConfigError. */
export async function loadConfigOf(taskQueue: string, file: string | undefined): Promise<CommandConfig> {
  const name = configNamed(taskQueue);
  const program = programNamed(taskQueue);
  if (file === undefined && program !== undefined) {
    throw new UsageError(
      `This was begun by the program ${program}, which has the config for it and is not running (task queue ${taskQueue}). Start it again, and it goes on; or name a config that has its agent with --config.`,
    );
  }
  if (file !== undefined || name === undefined) return loadCommandConfig(file);
  const path = resolve(projectFolder(), name);
  if (existsSync(path)) return loadCommandConfig(path);
  throw new UsageError(
    `This was begun with --config ${shellWord(name)} (task queue ${taskQueue}), and there is no such file any more. Name the config that has its agent with --config.`,
  );
}

/**
 * On a server of our own several configs may be at work at once, and workers of one queue take each other's runs. So the
 * project's own config has the usual queue, and any other one that is called after its file; a worker that stays serves
 * the usual queue besides where it is free, for programs that start runs. A queue that somebody named is used as it is,
 * and so is the usual one of a server that somebody named.
 */
export async function queuesOf(
  context: CliContext,
  config: CommandConfig | undefined,
  named: string | undefined,
): Promise<Queues> {
  const usual = named ?? config?.loaded.taskQueue ?? TASK_QUEUE;
  if (config === undefined || named !== undefined || context.embedded === undefined || usual !== TASK_QUEUE) {
    return { runs: usual, serves: [usual] };
  }
  const own = queueNamed(config);
  const { isTaken } = await import('../embedded/workers-here.ts');
  if (await isTaken(context.client.temporal, config)) return { runs: own, serves: [own] };
  return config.isOwn ? { runs: TASK_QUEUE, serves: [TASK_QUEUE] } : { runs: own, serves: [TASK_QUEUE, own] };
}

/**
 * Throws UsageError where what is on a queue, called `thing`, would be done by workers of another config than the one at
 * hand.
 */
export async function checkQueueOf(
  context: CliContext,
  thing: string,
  taskQueue: string,
  config: CommandConfig,
): Promise<void> {
  const name = configNamed(taskQueue);
  const namedByUser = name === undefined && taskQueue !== TASK_QUEUE;
  if (context.embedded === undefined || name === config.file || namedByUser) return;
  const { tagOf, workersHere } = await import('../embedded/workers-here.ts');
  const workers = await workersHere(context.client.temporal, taskQueue);
  const isUsual = workers.length === 0 && taskQueue === TASK_QUEUE;
  if (isUsual ? config.isOwn : workers.some((worker) => worker.config === tagOf(config))) return;
  const begun = name === undefined ? "the project's own config" : `--config ${shellWord(name)}`;
  const again = name === undefined ? 'leave --config out' : `write --config ${shellWord(name)}`;
  throw new UsageError(
    `${thing} was begun with ${begun} (task queue ${taskQueue}) and goes on there: ${again}, or begin another.`,
  );
}
