import { relative, sep } from 'node:path';
import { TASK_QUEUE } from '../agent/names.ts';
import { projectFolder } from '../client/project-folder.ts';

/** A config module, as the project has it. */
export interface ConfigFile {
  /** Its path within the project. */
  file: string;
  /** The one that commands find by themselves; any other is named with --config. */
  isOwn: boolean;
}

const CONFIG = `${TASK_QUEUE}:`;
const PROGRAM = `${TASK_QUEUE}-program:`;

/** The queue that is called after a config. */
export function queueNamed({ file }: Pick<ConfigFile, 'file'>): string {
  return CONFIG + file;
}

/** The path within the project of the config that a queue is called after. */
export function configNamed(taskQueue: string): string | undefined {
  return taskQueue.startsWith(CONFIG) ? taskQueue.slice(CONFIG.length) : undefined;
}

/**
 * The queue of a program that brings a config of its own: called after its file, so that it is the same when the program
 * is started again, and no other program's.
 */
export function programQueue(script = process.argv[1]): string {
  const path = script === undefined ? '[eval]' : relative(projectFolder(), script);
  return PROGRAM + path.replaceAll(sep, '/');
}

/** The path within the project of the program that a queue is called after. */
export function programNamed(taskQueue: string): string | undefined {
  return taskQueue.startsWith(PROGRAM) ? taskQueue.slice(PROGRAM.length) : undefined;
}
