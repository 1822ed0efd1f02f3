import { setTimeout as sleep } from 'node:timers/promises';
import { UNVERSIONED, completeDeployment } from '../../config/deployment-option.ts';
import { temporalSettings } from '../../client/connect/connect.ts';
import { configFor } from '../connection/command-config.ts';
import { neverStarted, withTemporal } from '../connection/context.ts';
import { namedQueue, usualQueue } from '../connection/task-queue.ts';
import {
  type DeploymentPlace,
  type DeploymentStatus,
  type VersionStatus,
  readDeployment,
} from '../deploy/deployment.ts';
import { type RunLeft, moveRuns, runsLeft } from '../deploy/runs-left.ts';
import { promote, ramp } from '../deploy/route-runs.ts';
import type { CommonOptions } from '../options/options.ts';
import { count, oneLine } from '../../features/render/words/amounts.ts';
import { table } from '../shell/display.ts';
import { type Io, UsageError, exitCodes, print, printJson, say } from '../shell/io.ts';
import { cliName } from '../../client/connect/cli-name.ts';

/** `reloop deploy status`: the versions of a deployment, with their workers and open runs. */
export function deployStatus(io: Io, options: CommonOptions): Promise<number> {
  return withDeployment(io, options, async (place) => {
    const status = await readDeployment(place);
    if (options.json === true) printJson(io, status);
    else for (const line of statusLines(io, status)) print(io, line);
    return exitCodes.answered;
  });
}

/** `reloop deploy promote`: all new runs get a version. */
export function deployPromote(io: Io, version: string, options: CommonOptions): Promise<number> {
  return withDeployment(io, options, async (place) => {
    const { name, current: previous } = await promote(place, version);
    if (options.json === true) printJson(io, { name, current: version, previous });
    else say(io, `New runs of ${oneLine(name)} get ${which(version)}.${drainHint(previous, version)}`);
    return exitCodes.answered;
  });
}

function which(version: string): string {
  return version === UNVERSIONED ? 'workers without a version' : `version ${oneLine(version)}`;
}

function drainHint(previous: string | null, version: string): string {
  if (previous === null || previous === version) return '';
  return ` When \`${cliName()} deploy drain ${previous}\` has ended, stop the workers of version ${oneLine(previous)}.`;
}

/** `reloop deploy ramp`: a share of the new runs gets a version. */
export function deployRamp(
  io: Io,
  version: string,
  percent: number,
  options: CommonOptions,
): Promise<number> {
  return withDeployment(io, options, async (place) => {
    await ramp(place, version, percent);
    if (options.json === true) printJson(io, { name: place.name, version, percent });
    else say(io, `${percent} % of the new runs of ${oneLine(place.name)} get version ${oneLine(version)}.`);
    return exitCodes.answered;
  });
}

interface DrainOptions extends CommonOptions {
  wait: boolean;
  /** The runs that are left continue on the current version. */
  move?: boolean;
}

/** `reloop deploy drain`: waits until no open run needs the workers of a version. */
export function deployDrain(io: Io, version: string, options: DrainOptions): Promise<number> {
  return withDeployment(io, options, async (place) => {
    const moved = options.move === true ? await moveRuns(place, version) : [];
    if (moved.length > 0) say(io, `Moved to the current version: ${count(moved.length, 'run')}.`);
    const { left, drained } = await drain(io, place, version, options.wait);
    if (options.json === true) printJson(io, { name: place.name, version, drained, moved, left });
    else if (drained) say(io, `Version ${oneLine(version)} has no open runs: its workers may be stopped.`);
    else for (const line of leftLines(version, left)) print(io, line);
    return drained ? exitCodes.answered : exitCodes.waiting;
  });
}

const LOOK_MS = 1_000;

async function drain(io: Io, place: DeploymentPlace, version: string, waits: boolean) {
  let said: string | undefined;
  for (;;) {
    const found = await runsLeft(place, version);
    if (found.drained || !waits) return found;
    const line = `Version ${oneLine(version)}: ${leftWords(found.left)}.`;
    if (line !== said) say(io, line);
    said = line;
    await sleep(LOOK_MS);
  }
}

function leftWords(left: readonly RunLeft[]): string {
  const waiting = left.filter((run) => run.waiting).length;
  const waits = waiting === 0 ? '' : `, ${waiting} of them for a person`;
  return left.length === 0
    ? 'no open runs, and new runs got it a moment ago'
    : `waiting for ${count(left.length, 'open run')}${waits}`;
}

const MOST_LINES = 20;

function leftLines(version: string, left: readonly RunLeft[]): string[] {
  const more = left.length - MOST_LINES;
  return [
    ...left
      .slice(0, MOST_LINES)
      .map(({ id, waiting }) => `${oneLine(id)}${waiting ? '  waits for a person' : ''}`),
    ...(more > 0 ? [`and ${more} more`] : []),
    `Version ${oneLine(version)}: ${leftWords(left)}. Keep its workers.`,
  ];
}

function statusLines({ stdout }: Io, { name, versions, unversioned }: DeploymentStatus): string[] {
  const rows = [...versions, unversioned].map((one) => [
    oneLine(one.version),
    stateWords(one),
    String(one.runs),
    one.workers.length === 0 ? 'none' : oneLine(one.workers.join(', ')),
  ]);
  return [
    `Deployment ${oneLine(name)}`,
    ...table([['VERSION', 'STATE', 'RUNS', 'WORKERS'], ...rows], stdout.columns),
  ];
}

function stateWords({ state, percent }: VersionStatus): string {
  return state === 'ramping' ? `ramping ${percent} %` : state;
}

/** Opens the deployment of the config; without a config, that of the task queue. Throws UsageError, ConfigError. */
async function withDeployment(
  io: Io,
  options: CommonOptions,
  use: (place: DeploymentPlace) => Promise<number>,
): Promise<number> {
  const isNamed = temporalSettings(options).address !== undefined;
  const config = await configFor(options, isNamed);
  const taskQueue = usualQueue(config, namedQueue(io, options), !isNamed);
  const { name } = config?.loaded.deployment ?? completeDeployment({}, taskQueue);
  if (await neverStarted(options)) {
    throw new UsageError(
      `There is no Temporal server yet, so there are no versions. Start one with \`${cliName()} dev\`, or set TEMPORAL_ADDRESS.`,
    );
  }
  return withTemporal(io, options, ({ client }) => use({ client: client.temporal, name, taskQueue }));
}
