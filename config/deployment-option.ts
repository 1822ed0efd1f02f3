import { z } from 'zod/v4';
import type { DeploymentVersion } from '../agent/values/names.ts';
import { setValue } from '../agent/values/set-value.ts';
import { ConfigError, type DeploymentDefinition } from './define.ts';
import { options } from './options/options.ts';

/** The versions of a project on a server. */
export interface Deployment {
  name: string;
  /** undefined: this process has no version, so it cannot be a worker of the deployment. */
  version: string | undefined;
  upgradeOnContinueAsNew?: boolean | undefined;
}

/** Temporal refuses names with `.` and `:`, and names that start with `__`. */
const NAME = /^[A-Za-z\d][\w-]{0,99}$/u;
const NAME_PROBLEM = 'is not a name of letters, digits, - and _ that begins with a letter or digit';

/** Means the workers without a version, on the command line. */
export const UNVERSIONED = 'none';

const VERSION = /^[A-Za-z\d][\w.+-]{0,99}$/u;
const VERSION_PROBLEM = `is not a version of letters, digits and . _ + - that begins with a letter or digit, or is "${UNVERSIONED}", which means workers without a version`;

const deploymentShape = {
  name: z.string().regex(NAME, NAME_PROBLEM),
  version: z.custom<string>(isVersion, VERSION_PROBLEM),
  upgradeOnContinueAsNew: z.boolean(),
} satisfies Record<keyof DeploymentDefinition, z.ZodType>;

export const deploymentSchema = options(deploymentShape).partial();

/** The deployment of a config; undefined: it has none. Throws {@link ConfigError}. */
export function deploymentOf(
  given: DeploymentDefinition | undefined,
  taskQueue: string,
): Deployment | undefined {
  const isWanted = given !== undefined || setValue(process.env['RELOOP_VERSION']) !== undefined;
  return isWanted ? completeDeployment(given, taskQueue) : undefined;
}

/** A deployment, by default of the name of the task queue. RELOOP_VERSION overrides the config's version. Throws {@link ConfigError}. */
export function completeDeployment(given: DeploymentDefinition = {}, taskQueue: string): Deployment {
  const fromEnvironment = setValue(process.env['RELOOP_VERSION']);
  if (fromEnvironment !== undefined && !isVersion(fromEnvironment))
    throw new ConfigError(`RELOOP_VERSION: "${fromEnvironment}" ${VERSION_PROBLEM}.`);
  const version = fromEnvironment ?? given.version;
  const name = given.name ?? taskQueue;
  const { upgradeOnContinueAsNew } = given;
  if (NAME.test(name))
    return { name, version, ...(upgradeOnContinueAsNew === undefined ? {} : { upgradeOnContinueAsNew }) };
  throw new ConfigError(
    `The task queue "${taskQueue}" cannot be the name of a deployment, because it ${NAME_PROBLEM}. Write deployment: { name: '…' } in the config.`,
  );
}

/** The version of a worker. Throws {@link ConfigError} if the config has a deployment, and no version. */
export function versionOf(deployment: Deployment | undefined): DeploymentVersion | undefined {
  if (deployment === undefined) return undefined;
  const { name, version } = deployment;
  if (version !== undefined) return { name, version };
  throw new ConfigError(
    `The config has a deployment "${name}" without a version, and a worker of a deployment needs one. Set RELOOP_VERSION, for instance to the tag of the image, or deployment.version in the config.`,
  );
}

function isVersion(value: unknown): boolean {
  return typeof value === 'string' && VERSION.test(value) && value !== UNVERSIONED;
}
