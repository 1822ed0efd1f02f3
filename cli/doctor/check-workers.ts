import type { Client } from '@temporalio/client';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { livePollers } from '../../client/connect/task-queue.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { configNamed } from '../../embedded/config-queues.ts';
import { exitCodes } from '../shell/io.ts';
import { type CommonOptions, flagsToRepeat } from '../options/options.ts';
import { type Check, note, ok } from './check-result.ts';

/** The task queues that a config needs workers on. */
export interface Queues {
  /** Queues of the config's agents. */
  taskQueue: string;
  /** Tools of other workers: names by task queue. */
  toolQueues: ReadonlyMap<string, readonly string[]>;
  /** Fail where no worker polls the queue of the agents. */
  worker?: boolean | undefined;
}

type Tools = Iterable<LoadedConfig['tools'] extends ReadonlyMap<string, infer Tool> ? Tool : never>;

export function toolQueues(tools: Tools): Map<string, string[]> {
  const queues = new Map<string, string[]>();
  for (const { name, remote } of tools) {
    if (remote?.type !== 'activity' || remote.taskQueue === undefined) continue;
    queues.set(remote.taskQueue, [...(queues.get(remote.taskQueue) ?? []), name]);
  }
  return queues;
}

export async function checkWorkers(client: Client, options: CommonOptions & Queues): Promise<Check[]> {
  const { taskQueue, toolQueues: others } = options;
  const own = check(taskQueue, '', await livePollers(client, taskQueue), startAdvice(options));
  const queues = [...others].filter(([queue]) => queue !== taskQueue);
  const elsewhere = await aFewAtATime(queues, 4, async ([queue, tools]) => {
    const advice = 'start the worker that has these activities: until then calls of them do not begin';
    return check(queue, ` (${tools.join(', ')})`, await livePollers(client, queue, 'activity'), advice);
  });
  const isMissing = options.worker === true && own.state !== 'ok';
  return [isMissing ? { ...own, state: 'problem', exitCode: exitCodes.failed } : own, ...elsewhere];
}

function check(taskQueue: string, what: string, workers: readonly string[], advice: string): Check {
  const found = `task queue ${taskQueue}${what}: ${workers.length === 0 ? 'nobody' : workers.join(', ')}`;
  return workers.length > 0 ? ok('workers', found) : note('workers', found, advice);
}

/** The commands that serve the very task queue that was looked at. */
function startAdvice({ taskQueue, ...options }: CommonOptions & Queues): string {
  const config = options.config ?? configNamed(taskQueue);
  const flags = flagsToRepeat(config === undefined ? options : { ...options, config });
  const command = (name: string) => `\`${[cliName(), name, ...flags].join(' ')}\``;
  // `dev` starts a server.
  return `start one with ${options.address === undefined ? `${command('worker')} or ${command('dev')}` : command('worker')}`;
}
