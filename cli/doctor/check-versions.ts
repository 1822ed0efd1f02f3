import type { Client } from '@temporalio/client';
import type { Deployment } from '../../config/deployment-option.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import { type DeploymentStatus, type VersionStatus, readDeployment } from '../deploy/deployment.ts';
import { UsageError, exitCodes } from '../shell/io.ts';
import { type Check, note, ok } from './check-result.ts';

interface Versions {
  /** undefined: the config has no deployment. */
  deployment?: Deployment | undefined;
  taskQueue: string;
  /** Fail where no worker of the config's version polls. */
  worker?: boolean | undefined;
}

/** The versions of the config's deployment, and whether each version that needs workers has some. */
export async function checkVersions(
  client: Client,
  { deployment, taskQueue, worker }: Versions,
): Promise<Check[]> {
  if (deployment === undefined) return [];
  const { name, version } = deployment;
  try {
    const status = await readDeployment({ client, name, taskQueue });
    const missing = withoutWorkers(status, version);
    const found = foundText(status);
    if (missing.length === 0) return [ok('versions', found)];
    const commands = missing.map((one) => `\`RELOOP_VERSION=${one} ${cliName()} worker\``);
    const check = note('versions', found, `these have no workers, start some: ${commands.join(', ')}`);
    const isOwnMissing = worker === true && version !== undefined && missing.includes(version);
    return [isOwnMissing ? { ...check, state: 'problem', exitCode: exitCodes.failed } : check];
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [note('versions', `deployment ${name}: unknown`, error.message)];
  }
}

/** Versions without workers that runs wait for, or will: the config's own, and those that get new runs or have open ones. */
function withoutWorkers({ versions }: DeploymentStatus, own: string | undefined): string[] {
  const polled = versions.filter(({ workers }) => workers.length > 0).map(({ version }) => version);
  const wanted = versions.filter(({ state }) => state !== 'new' && state !== 'drained');
  const all = new Set([...wanted.map(({ version }) => version), ...(own === undefined ? [] : [own])]);
  return [...all].filter((version) => !polled.includes(version));
}

function foundText({ name, current, versions }: DeploymentStatus): string {
  const known = versions.filter(({ state }) => state !== 'drained').map(versionText);
  const all = current === null ? ['new runs get workers without a version', ...known] : known;
  return `deployment ${name}: ${all.join(', ')}`;
}

function versionText({ version, state, percent, runs }: VersionStatus): string {
  if (state === 'ramping') return `${version} is ramping at ${percent} %`;
  return `${version} is ${state}${state === 'draining' ? ` (${runs} open)` : ''}`;
}
