import { type Client, isGrpcServiceError } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import { UNVERSIONED } from '../../config/options/deployment-option.ts';
import { isGone, pollersOf } from '../../client/connect/task-queue.ts';
import { UsageError } from '../shell/io.ts';

/**
 * - current: new runs get the version.
 * - ramping: a share of the new runs gets the version.
 * - new: no run ever got the version.
 * - draining: open runs are left on the version. drained: none are left.
 */
export type VersionState = 'current' | 'ramping' | 'new' | 'draining' | 'drained';

export interface VersionStatus {
  version: string;
  state: VersionState;
  /** Share of the new runs, if the version is ramping. */
  percent?: number | undefined;
  /** Open runs that stay on the version. */
  runs: number;
  /** Milliseconds since new runs got the version for the last time. undefined: they get it now, or never got it. */
  idleMs: number | undefined;
  /** Identities of the workers that take work. */
  workers: string[];
}

export interface DeploymentStatus {
  name: string;
  /** undefined: new runs get workers without a version. */
  current: string | undefined;
  /** Latest first. */
  versions: VersionStatus[];
  /** Workers and open runs without a version. */
  unversioned: VersionStatus;
}

/** A deployment on a server. */
export interface DeploymentPlace {
  client: Client;
  name: string;
  /** Task queue of the runs. */
  taskQueue: string;
}

type Info = temporal.api.deployment.v1.IWorkerDeploymentInfo;
type Summary = temporal.api.deployment.v1.WorkerDeploymentInfo.IWorkerDeploymentVersionSummary;

/** Versions, workers and open runs of a deployment. Throws UsageError if the server has no deployments. */
export async function readDeployment(place: DeploymentPlace): Promise<DeploymentStatus> {
  const { client, name, taskQueue } = place;
  const { routingConfig: routing, versionSummaries } = (await describe(place)) ?? {};
  const current = routing?.currentDeploymentVersion?.buildId ?? undefined;
  const ramping = routing?.rampingDeploymentVersion?.buildId ?? undefined;
  const pollers = (await pollersOf(client, taskQueue)).filter(({ identity }) => !isGone(identity));
  const statusOf = async (summary: Summary): Promise<VersionStatus> => {
    const version = summary.deploymentVersion?.buildId ?? '';
    const runs = await countRuns(client, pinnedTo({ name, version }));
    const workers = pollers.filter(
      ({ deployment }) => deployment?.name === name && deployment.version === version,
    );
    return {
      version,
      state: version === current ? 'current' : version === ramping ? 'ramping' : stateOf(summary, runs),
      idleMs: idleMs(summary),
      percent: version === ramping ? (routing?.rampingVersionPercentage ?? 0) : undefined,
      runs,
      workers: workers.map(({ identity }) => identity),
    };
  };
  const runs = await countRuns(
    client,
    `TemporalWorkerDeployment IS NULL AND TaskQueue = ${quoted(taskQueue)}`,
  );
  return {
    name,
    current,
    versions: await Promise.all((versionSummaries ?? []).toSorted(latestFirst).map(statusOf)),
    unversioned: {
      version: UNVERSIONED,
      state: current === undefined ? 'current' : runs > 0 ? 'draining' : 'drained',
      runs,
      idleMs: undefined,
      workers: pollers.flatMap(({ identity, deployment }) => (deployment === undefined ? [identity] : [])),
    },
  };
}

/** The version that new runs get; undefined: none, or there is no deployment. */
export async function currentVersion(place: Omit<DeploymentPlace, 'taskQueue'>): Promise<string | undefined> {
  return (await describe(place))?.routingConfig?.currentDeploymentVersion?.buildId ?? undefined;
}

/** undefined: no worker of the deployment has ever polled. */
async function describe({ client, name }: Omit<DeploymentPlace, 'taskQueue'>): Promise<Info | undefined> {
  const { namespace } = client.options;
  try {
    const { workerDeploymentInfo } = await ofServer(() =>
      client.workflowService.describeWorkerDeployment({ namespace, deploymentName: name }),
    );
    return workerDeploymentInfo ?? undefined;
  } catch (error) {
    if (codeOf(error) === NOT_FOUND) return undefined;
    throw error;
  }
}

function idleMs({ lastDeactivationTime: since }: Summary): number | undefined {
  return since ? Date.now() - tsToMs(since) : undefined;
}

function latestFirst(a: Summary, b: Summary): number {
  const created = ({ createTime }: Summary) => (createTime ? tsToMs(createTime) : 0);
  return created(b) - created(a);
}

function stateOf({ firstActivationTime }: Summary, runs: number): VersionState {
  if (runs > 0) return 'draining';
  return firstActivationTime ? 'drained' : 'new';
}

/** Query for the workflows that stay on a version. The list follows the histories a moment later. */
export function pinnedTo({ name, version }: { name: string; version: string }): string {
  return `BuildIds = ${quoted(`pinned:${name}:${version}`)}`;
}

/** Query for open workflows. */
export const open = (query: string) => `${query} AND ExecutionStatus = "Running"`;

async function countRuns(client: Client, query: string): Promise<number> {
  return (await client.workflow.count(open(query))).count;
}

/** A text in a query. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

export const NOT_FOUND = 5;
export const FAILED_PRECONDITION = 9;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/** Status code of a gRPC error. */
export function codeOf(error: unknown): number | undefined {
  return isGrpcServiceError(error) ? error.code : undefined;
}

/** Calls the server. Throws UsageError if the server has no deployments. */
export async function ofServer<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const isDisabled = isGrpcServiceError(error) && /\bdisabled\b/u.test(error.details);
    const code = codeOf(error);
    if (code !== UNIMPLEMENTED && !(code === PERMISSION_DENIED && isDisabled)) throw error;
    throw new UsageError(
      'This Temporal server has no worker deployments (`system.enableDeploymentVersions`). Update the server, or deploy without versions.',
    );
  }
}
