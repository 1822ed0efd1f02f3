import type { Client } from '@temporalio/client';
import type { DeploymentVersion } from '../../agent/values/names.ts';
import { tsToMs } from '@temporalio/common/lib/time.js';
import { pidHere, processExists } from '../../local/server/process-identity.ts';

/** Temporal's numbers for the two kinds of a task queue. */
const KINDS = { workflow: 1, activity: 2 } as const;

/** A long poll lasts a minute; the server remembers pollers for five, also those that have died. */
const FRESH_MS = 75_000;

/** A worker that has asked a task queue for work lately. */
export interface Poller {
  identity: string;
  /** undefined: the worker has no version. */
  deployment: DeploymentVersion | undefined;
}

/** Temporal's number for workers with a version. */
const VERSIONED_MODE = 2;

/** Workers that have asked a task queue for work lately. */
export async function pollersOf(
  client: Client,
  taskQueue: string,
  kind: keyof typeof KINDS = 'workflow',
): Promise<Poller[]> {
  const description = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: KINDS[kind],
  });
  return (description.pollers ?? []).flatMap(({ identity, lastAccessTime, deploymentOptions: of }) => {
    if (!lastAccessTime || Date.now() - tsToMs(lastAccessTime) >= FRESH_MS) return [];
    const isVersioned = Number(of?.workerVersioningMode) === VERSIONED_MODE;
    const deployment = isVersioned
      ? { name: of?.deploymentName ?? '', version: of?.buildId ?? '' }
      : undefined;
    return [{ identity: identity ?? '', deployment }];
  });
}

/** Returns true if the worker has the version. */
export function hasVersion({ deployment }: Poller, { name, version }: DeploymentVersion): boolean {
  return deployment?.name === name && deployment.version === version;
}

/** Identities of the workers that have asked a task queue for work lately. */
export async function pollers(...queue: Parameters<typeof pollersOf>): Promise<string[]> {
  return (await pollersOf(...queue)).map(({ identity }) => identity);
}

/** The same without workers that have ended on this machine: the server lists them for minutes. */
export async function livePollers(...queue: Parameters<typeof pollers>): Promise<string[]> {
  return (await pollers(...queue)).filter((identity) => !isGone(identity));
}

/** True if the identity names a worker process of this machine that has ended. */
export function isGone(identity: string): boolean {
  const pid = pidHere(identity);
  return pid !== undefined && !processExists(pid);
}
