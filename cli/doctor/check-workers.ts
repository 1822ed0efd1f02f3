import type { Client } from '@temporalio/client';
import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { livePollers } from '../../client/connect/task-queue.ts';
import { cliName, shellWord } from '../../client/connect/cli-name.ts';
import type { Deployment } from '../../config/deployment-option.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { configNamed } from '../../local/embedded/config-queues.ts';
import { exitCodes } from '../shell/io.ts';
import { type CommonOptions, flagsToRepeat } from '../options/options.ts';
import { type Check, note, ok } from './check-result.ts';

/** The task queues that a config needs workers on. */
export interface Queues {
  /** Queues of the config's agents. */
  taskQueue: string;
  /** Further queues of calls, by name. */
  callQueues: ReadonlyMap<string, CallQueue>;
  /** The config's deployment. */
  deployment?: Deployment | undefined;
  /** Agents of the config, by name; undefined: there is no config. */
  agents?: ReadonlyMap<string, unknown> | undefined;
  /** Fail if no worker polls the queue of the agents, or no worker of the config's version does. */
  worker?: boolean | undefined;
}

/** A task queue of calls only. */
interface CallQueue {
  /** Names of its tools, and `models`. */
  calls: readonly string[];
  /** The queue's workers are Reloop's. If false, they are other programs, for external tools. */
  ours: boolean;
}

export function callQueues({
  tools,
  queues,
}: Pick<LoadedConfig, 'tools' | 'queues'>): Map<string, CallQueue> {
  const all = new Map<string, CallQueue>();
  for (const [name, { models, tools: own = [] }] of queues) {
    all.set(name, { calls: [...(models === undefined ? [] : ['models']), ...own], ours: true });
  }
  for (const { name, remote } of tools.values()) {
    if (remote?.type !== 'activity' || remote.taskQueue === undefined) continue;
    const { calls = [], ours = false } = all.get(remote.taskQueue) ?? {};
    all.set(remote.taskQueue, { calls: [...calls, name], ours });
  }
  return all;
}

export async function checkWorkers(client: Client, options: CommonOptions & Queues): Promise<Check[]> {
  const { taskQueue } = options;
  const own = check(taskQueue, '', await livePollers(client, taskQueue), startAdvice(options));
  const queues = [...options.callQueues].filter(([queue]) => queue !== taskQueue);
  const elsewhere = await aFewAtATime(queues, 4, async ([queue, { calls, ours }]) => {
    const start = ours
      ? `start one with ${commandOf('worker', options, queue)}`
      : 'start the worker that has these activities';
    const advice = `${start}: until then calls of them do not start`;
    return check(queue, ` (${calls.join(', ')})`, await livePollers(client, queue, 'activity'), advice);
  });
  const isMissing = options.worker === true && own.state !== 'ok';
  return [isMissing ? { ...own, state: 'problem', exitCode: exitCodes.failed } : own, ...elsewhere];
}

function check(taskQueue: string, what: string, workers: readonly string[], advice: string): Check {
  const found = `task queue ${taskQueue}${what}: ${workers.length === 0 ? 'no worker' : workers.join(', ')}`;
  return workers.length > 0 ? ok('workers', found) : note('workers', found, advice);
}

/** The commands that serve the very task queue that was looked at. */
function startAdvice(options: CommonOptions & Queues): string {
  const worker = commandOf('worker', options);
  // `dev` starts a server.
  return `start one with ${options.address === undefined ? `${worker} or ${commandOf('dev', options)}` : worker}`;
}

/** The command as it is typed. `queue`: the only task queue that it serves. */
function commandOf(name: string, { taskQueue, ...options }: CommonOptions & Queues, queue?: string): string {
  const config = options.config ?? configNamed(taskQueue);
  const flags = flagsToRepeat(config === undefined ? options : { ...options, config });
  const only = queue === undefined ? [] : ['--queue', shellWord(queue)];
  return `\`${[cliName(), name, ...only, ...flags].join(' ')}\``;
}
