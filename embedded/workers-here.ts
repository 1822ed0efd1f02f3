import type { AgentClient } from '../client/agent-client.ts';
import { TASK_QUEUE } from '../agent/names.ts';
import { pollers } from '../client/task-queue.ts';
import { type WorkerHere, workerHere } from '../worker/run-worker.ts';
import type { ConfigFile } from './queue-names.ts';

type Temporal = AgentClient['temporal'];

/** The workers of a queue that are commands or programs of Reloop on this machine. */
export async function workersHere(temporal: Temporal, taskQueue: string): Promise<WorkerHere[]> {
  return (await pollers(temporal, taskQueue)).flatMap((identity) => workerHere(identity) ?? []);
}

/** Whether the usual queue is served by a worker of another config. */
export async function isTaken(temporal: Temporal, config: ConfigFile): Promise<boolean> {
  return (await workersHere(temporal, TASK_QUEUE)).some((worker) => worker.config !== tagOf(config));
}

/** What a worker's identity says of its config. */
export function tagOf({ file, isOwn }: ConfigFile): string | undefined {
  return isOwn ? undefined : file;
}

/** Whether anybody works on a queue, those left out that have died here: the server remembers them for a while. */
export async function isServed(temporal: Temporal, taskQueue: string): Promise<boolean> {
  const isGone = (identity: string) => identity.startsWith('reloop ') && workerHere(identity) === undefined;
  return (await pollers(temporal, taskQueue)).some((identity) => !isGone(identity));
}
