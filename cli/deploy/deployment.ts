import { type Client, isGrpcServiceError } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time.js';
import type { temporal } from '@temporalio/proto';
import { UNVERSIONED } from '../../config/deployment-option.ts';
import { hasVersion, isGone, pollersOf } from '../../client/connect/task-queue.ts';
import { grpcCode } from '../../history/read/pages.ts';
import { AGENT_SESSION } from '../../workflows/messages.ts';
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
  /** Time at which new runs ceased to get the version. null: they get it, or never got it. */
  until: Date | null;
  /** Identities of the workers that take work. */
  workers: string[];
}

export interface DeploymentStatus {
  name: string;
  /** null: new runs get workers without a version. */
  current: string | null;
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
  const { routingConfig: routing, versionSummaries } = (await describe(client, name)) ?? {};
  const current = routing?.currentDeploymentVersion?.buildId ?? null;
  const ramping = routing?.rampingDeploymentVersion?.buildId ?? undefined;
  const polling = await ofServer(() => pollersOf(client, taskQueue));
  const pollers = polling.filter(({ identity }) => !isGone(identity));
  const statusOf = async (summary: Summary): Promise<VersionStatus> => {
    const { deploymentVersion, lastDeactivationTime: since } = summary;
    const version = deploymentVersion?.buildId ?? '';
    const runs = await countRuns(client, pinnedTo({ name, version }));
    const workers = pollers.filter((poller) => hasVersion(poller, { name, version }));
    return {
      version,
      state: version === current ? 'current' : version === ramping ? 'ramping' : stateOf(summary, runs),
      until: since ? new Date(tsToMs(since)) : null,
      percent: version === ramping ? (routing?.rampingVersionPercentage ?? 0) : undefined,
      runs,
      workers: workers.map(({ identity }) => identity),
    };
  };
  const runs = await countRuns(client, withoutVersion(taskQueue));
  return {
    name,
    current,
    versions: await Promise.all((versionSummaries ?? []).toSorted(latestFirst).map(statusOf)),
    unversioned: {
      version: UNVERSIONED,
      state: current === null ? 'current' : runs > 0 ? 'draining' : 'drained',
      runs,
      until: null,
      workers: pollers.flatMap(({ identity, deployment }) => (deployment === undefined ? [identity] : [])),
    },
  };
}

/** The version that new runs get; null: workers without a version. Throws UsageError if the server has no deployments. */
export async function currentVersion(client: Client, name: string): Promise<string | null> {
  return (await describe(client, name))?.routingConfig?.currentDeploymentVersion?.buildId ?? null;
}

/** undefined: no worker of the deployment has ever polled. */
async function describe(client: Client, name: string): Promise<Info | undefined> {
  const { namespace } = client.options;
  try {
    const { workerDeploymentInfo } = await ofServer(() =>
      client.workflowService.describeWorkerDeployment({ namespace, deploymentName: name }),
    );
    return workerDeploymentInfo ?? undefined;
  } catch (error) {
    if (grpcCode(error) === NOT_FOUND) return undefined;
    throw error;
  }
}

function latestFirst(a: Summary, b: Summary): number {
  const created = ({ createTime }: Summary) => (createTime ? tsToMs(createTime) : 0);
  return created(b) - created(a);
}

function stateOf({ firstActivationTime }: Summary, runs: number): VersionState {
  if (runs > 0) return 'draining';
  return firstActivationTime ? 'drained' : 'new';
}

/** Query for the workflows that stay on a version. The list lags a moment behind the histories. */
export function pinnedTo({ name, version }: { name: string; version: string }): string {
  return `BuildIds = ${quoted(`pinned:${name}:${version}`)}`;
}

/** Query for runs that stay with workers without a version. A session moves with its next message. */
function withoutVersion(taskQueue: string): string {
  return `TemporalWorkerDeployment IS NULL AND WorkflowType != "${AGENT_SESSION}" AND TaskQueue = ${quoted(taskQueue)}`;
}

/** Query for open workflows. */
export const open = (query: string) => `${query} AND CloseTime IS NULL`;

async function countRuns(client: Client, query: string): Promise<number> {
  return (await ofServer(() => client.workflow.count(open(query)))).count;
}

/** A text in a query. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

const DEADLINE_EXCEEDED = 4;
export const NOT_FOUND = 5;
export const FAILED_PRECONDITION = 9;
const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;

/** Attempts at a call that a busy server does not answer in time. A deployment is a workflow of the server: to read it takes a query. */
const MAX_ATTEMPTS = 4;

/** Calls the server. `call` is idempotent. Throws UsageError if the server has no deployments. */
export async function ofServer<T>(call: () => Promise<T>, attempt = 1): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (grpcCode(error) === DEADLINE_EXCEEDED && attempt < MAX_ATTEMPTS)
      return await ofServer(call, attempt + 1);
    const isDisabled = isGrpcServiceError(error) && /\bdisabled\b/u.test(error.details);
    const code = grpcCode(error);
    if (code !== UNIMPLEMENTED && !(code === PERMISSION_DENIED && isDisabled)) throw error;
    throw new UsageError(
      'This Temporal server has no worker deployments (`system.enableDeploymentVersions`). Update the server, or deploy without versions.',
    );
  }
}
