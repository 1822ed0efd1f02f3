import { relative, sep } from 'node:path';
import { TASK_QUEUE } from '../../agent/values/names.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import { pollers } from '../../client/connect/task-queue.ts';
import { projectFolder } from '../server/project-folder.ts';
import { type LocalWorker, localWorker } from '../../worker/worker-identity.ts';

/** A config module, as the project has it. */
export interface ConfigFile {
  /** Path within the project. */
  file: string;
  /** The config that commands find automatically; any other is named with --config. */
  isOwn: boolean;
}

const CONFIG = `${TASK_QUEUE}:`;
const PROGRAM = `${TASK_QUEUE}-program:`;

export function queueNamed({ file }: Pick<ConfigFile, 'file'>): string {
  return CONFIG + file;
}

/** The path within the project of the config that a queue is named after. */
export function configNamed(taskQueue: string): string | undefined {
  return taskQueue.startsWith(CONFIG) ? taskQueue.slice(CONFIG.length) : undefined;
}

/**
 * The queue of a program that brings a separate config: named after the program's file, so that it is the same when the
 * program is started again, and not another program's.
 */
export function programQueue(script = process.argv[1]): string {
  const path = script === undefined ? '[eval]' : relative(projectFolder(), script);
  return PROGRAM + path.replaceAll(sep, '/');
}

/** The path within the project of the program that a queue is named after. */
export function programNamed(taskQueue: string): string | undefined {
  return taskQueue.startsWith(PROGRAM) ? taskQueue.slice(PROGRAM.length) : undefined;
}

type Temporal = AgentClient['temporal'];

/** The workers of a queue that are commands or programs of Reloop on this machine. */
export async function localWorkers(temporal: Temporal, taskQueue: string): Promise<LocalWorker[]> {
  return (await pollers(temporal, taskQueue)).flatMap((identity) => localWorker(identity) ?? []);
}

/** True if a worker of another config serves the usual queue. */
export async function isTaken(temporal: Temporal, config: ConfigFile): Promise<boolean> {
  return (await localWorkers(temporal, TASK_QUEUE)).some((worker) => worker.config !== tagOf(config));
}

/** The name of a config in a worker's identity. */
export function tagOf({ file, isOwn }: ConfigFile): string | undefined {
  return isOwn ? undefined : file;
}
