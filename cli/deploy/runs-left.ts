import { aFewAtATime } from '../../agent/values/concurrent.ts';
import { searchAttribute } from '../../agent/values/names.ts';
import { UNVERSIONED } from '../../config/deployment-option.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import { readListPage } from '../../history/list/listed.ts';
import { grpcCode } from '../../history/read/pages.ts';
import { UsageError } from '../shell/io.ts';
import {
  type DeploymentPlace,
  type DeploymentStatus,
  NOT_FOUND,
  ofServer,
  open,
  pinnedTo,
  readDeployment,
} from './deployment.ts';
import { versionIn } from './route-runs.ts';

/** An open run that stays on a version. */
export interface RunLeft {
  id: string;
  runId: string;
  /** The run waits for a person. */
  waiting: boolean;
}

/**
 * A run that started a moment before another version was promoted may still be missing in the server's list. The list of a server with
 * Elasticsearch follows after a second.
 */
const SETTLED_MS = 5_000;

/** Runs that are left on a version, and whether the version may be stopped. Throws UsageError for a version that gets new runs. */
export async function runsLeft(
  place: DeploymentPlace,
  version: string,
): Promise<{ left: RunLeft[]; drained: boolean }> {
  const status = await readDeployment(place);
  const { until } = drainable(status, version);
  const isSettled = until === null || Date.now() - until.getTime() >= SETTLED_MS;
  const left = await list(place, version);
  return { left, drained: left.length === 0 && isSettled };
}

function drainable(status: DeploymentStatus, version: string) {
  if (version === UNVERSIONED) {
    throw new UsageError(
      'Runs without a version move to the current version at their next step, so their workers need no drain: stop them with SIGTERM.',
    );
  }
  const found = versionIn(status, version);
  if (found.state === 'current') {
    throw new UsageError(
      `Version ${version} is current, so new runs get it. Promote another version first: \`${cliName()} deploy promote VERSION\`.`,
    );
  }
  if (found.state === 'ramping') {
    throw new UsageError(
      `Version ${version} is ramping, so new runs get it. End the ramp first: \`${cliName()} deploy ramp ${version} 0\`.`,
    );
  }
  return found;
}

async function list({ client, name }: DeploymentPlace, version: string): Promise<RunLeft[]> {
  const query = open(pinnedTo({ name, version }));
  const left: RunLeft[] = [];
  let token: Uint8Array | undefined;
  do {
    const { runs, next } = await readListPage(client, { query, pageSize: 200, token });
    for (const { id, runId, attributes } of runs) {
      left.push({ id, runId, waiting: attributes[searchAttribute.status] === 'waiting' });
    }
    token = next;
  } while (token !== undefined);
  return left;
}

/** Runs that are moved at a time. */
const MOVERS = 8;

/** Moves the runs that are left on a version to the current version, where they stay. Returns the ids. Throws UsageError. */
export async function moveRuns(place: DeploymentPlace, version: string): Promise<string[]> {
  const status = await readDeployment(place);
  drainable(status, version);
  const { current } = status;
  if (current === null) {
    throw new UsageError(
      `There is no current version to move the runs to. Promote one first: \`${cliName()} deploy promote VERSION\`.`,
    );
  }
  if (versionIn(status, current).workers.length === 0) {
    throw new UsageError(
      `No worker of the current version ${current} polls task queue ${place.taskQueue}, so the runs would wait. Start one first.`,
    );
  }
  const moved: string[] = [];
  await aFewAtATime(await list(place, version), MOVERS, async ({ id, runId }) => {
    if (await pinTo(place, current, { workflowId: id, runId })) moved.push(id);
  });
  return moved;
}

/** Returns false if the run has ended. */
async function pinTo(
  { client, name }: DeploymentPlace,
  version: string,
  workflowExecution: { workflowId: string; runId: string },
): Promise<boolean> {
  try {
    await ofServer(() =>
      client.workflowService.updateWorkflowExecutionOptions({
        namespace: client.options.namespace,
        workflowExecution,
        updateMask: { paths: ['versioning_override'] },
        workflowExecutionOptions: {
          versioningOverride: {
            pinned: { behavior: 1, version: { deploymentName: name, buildId: version } },
          },
        },
      }),
    );
    return true;
  } catch (error) {
    if (grpcCode(error) === NOT_FOUND) return false;
    throw error;
  }
}
