import { setTimeout as sleep } from 'node:timers/promises';
import { UNVERSIONED } from '../../config/deployment-option.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import { grpcCode } from '../../history/read/pages.ts';
import { UsageError } from '../shell/io.ts';
import {
  type DeploymentPlace,
  type DeploymentStatus,
  type VersionStatus,
  FAILED_PRECONDITION,
  ofServer,
  readDeployment,
} from './deployment.ts';

/** The server learns of a worker about half a second after the worker is ready. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 200;

/** Gives new runs a version, or (`none`) workers without a version. Returns the status from before. Throws UsageError. */
export async function promote(place: DeploymentPlace, version: string): Promise<DeploymentStatus> {
  const { client, name } = place;
  const before = await withWorkers(place, version);
  if (version === UNVERSIONED && before.current === null) return before;
  await whenAllQueuesArePolled(version, () =>
    client.workflowService.setWorkerDeploymentCurrentVersion({
      namespace: client.options.namespace,
      deploymentName: name,
      buildId: version === UNVERSIONED ? '' : version,
      identity: client.options.identity,
    }),
  );
  return before;
}

/** Gives a share of the new runs a version; 0 ends that. Throws UsageError. */
export async function ramp(place: DeploymentPlace, version: string, percentage: number): Promise<void> {
  const { client, name } = place;
  if (version === UNVERSIONED) {
    throw new UsageError(
      `A share of the runs cannot go back to workers without a version. \`${cliName()} deploy promote ${UNVERSIONED}\` gives them all new runs.`,
    );
  }
  const status = percentage === 0 ? await readDeployment(place) : await withWorkers(place, version);
  const { state } = versionIn(status, version);
  if (state === 'current') throw new UsageError(`Version ${version} is current: all new runs get it.`);
  if (percentage === 0 && state !== 'ramping') throw new UsageError(`Version ${version} is not ramping.`);
  await whenAllQueuesArePolled(version, () =>
    client.workflowService.setWorkerDeploymentRampingVersion({
      namespace: client.options.namespace,
      deploymentName: name,
      buildId: percentage === 0 ? '' : version,
      percentage,
      identity: client.options.identity,
    }),
  );
}

/** Throws UsageError for a version that no worker ever had. */
export function versionIn({ name, versions }: DeploymentStatus, version: string): VersionStatus {
  const found = versions.find((one) => one.version === version);
  if (found !== undefined) return found;
  const known = versions.length === 0 ? 'no versions yet' : versions.map((one) => one.version).join(', ');
  throw new UsageError(
    `No worker of version ${version} has polled. Deployment ${name} has: ${known}. ${startOf(version)}`,
  );
}

/** Waits until workers of the version poll. Throws UsageError. */
async function withWorkers(place: DeploymentPlace, version: string): Promise<DeploymentStatus> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const status = await readDeployment(place);
    const isUnversioned = version === UNVERSIONED;
    const own = isUnversioned ? status.unversioned : status.versions.find((one) => one.version === version);
    if (own !== undefined && own.workers.length > 0) return status;
    if (Date.now() >= deadline) {
      if (!isUnversioned) versionIn(status, version);
      const which = isUnversioned ? 'without a version' : `of version ${version}`;
      throw new UsageError(
        `No worker ${which} polls task queue ${place.taskQueue}, so its runs would wait. ${startOf(version)}`,
      );
    }
    await sleep(LOOK_MS);
  }
}

function startOf(version: string): string {
  const start = version === UNVERSIONED ? 'one' : `one with RELOOP_VERSION=${version}`;
  return `Start ${start} (\`${cliName()} worker\`), then try again.`;
}

/** Changes the routing as soon as the version's workers poll all task queues of the current version. Throws UsageError. */
async function whenAllQueuesArePolled(version: string, change: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      await ofServer(change);
      return;
    } catch (error) {
      if (grpcCode(error) !== FAILED_PRECONDITION || !String(error).includes('missing active task queues'))
        throw error;
      if (Date.now() >= deadline) {
        throw new UsageError(
          `No worker of version ${version} polls some of the task queues that the current version has. Start workers of version ${version} for all \`queues\` of the config. If a queue was removed on purpose: \`temporal worker deployment set-current-version --ignore-missing-task-queues\`.`,
        );
      }
      await sleep(LOOK_MS);
    }
  }
}
