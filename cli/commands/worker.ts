import type { Client } from '@temporalio/client';
import type { DeploymentVersion } from '../../agent/values/names.ts';
import { versionOf } from '../../config/deployment-option.ts';
import { currentVersion } from '../deploy/deployment.ts';
import { temporalSettings } from '../../client/connect/connect.ts';
import { TemporalUnreachable } from '../../client/connect/errors.ts';
import { type Io, ENDING, UsageError, exitCodes, printJson, say, untilSignal } from '../shell/io.ts';
import { checkAgents, loadCommandConfig } from '../connection/command-config.ts';
import { type ContextOptions, withTemporal } from '../connection/context.ts';
import { namedQueue, queuesOf } from '../connection/task-queue.ts';
import { countWaiting, waitingRuns } from '../connection/find-runs.ts';
import { type HealthServer, serveHealth } from '../../worker/health-server.ts';
import type { RunningWorker } from '../../worker/run-worker.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import type { CommonOptions } from '../options/options.ts';
import { cliName } from '../../client/connect/cli-name.ts';

interface WorkerOptions extends ContextOptions {
  /** Names of the task queues that it serves. Default: all of the config. */
  queue?: string[];
  healthHost?: string;
}

/** `reloop worker`: runs the config's agents until a signal ends it. */
export async function worker(io: Io, options: WorkerOptions): Promise<number> {
  const config = await loadCommandConfig(options.config);
  await checkServer(options);
  const opened = { ...options, loaded: config.loaded };
  return withTemporal(io, opened, async (context) => {
    const { address } = context.client;
    const agents = [...config.loaded.agents.keys()];
    const { serves } = await queuesOf(context, config, namedQueue(io, options));
    const { runs, calls } = chosenQueues(serves, config.loaded, options.queue);
    const taskQueues = [...runs, ...calls];
    const waiting = await countWaiting(context);
    const version = versionOf(config.loaded.deployment);
    const hint = version && (await promotionHint(context.client.temporal, version));
    checkAgents(io, config.loaded, (queue) =>
      queue === undefined ? runs.length > 0 : calls.includes(queue),
    );
    const { signal, stop } = untilSignal(io);
    let health: HealthServer | undefined;
    try {
      const running = await context.startWorker(config, 'worker', runs, calls);
      health = await serveProbes(running, options);
      const whose = runs.length === 0 ? '' : `agents ${agents.join(', ')}, `;
      const which = version === undefined ? '' : `version ${version.version}, `;
      say(io, `Worker ready: ${whose}${which}task queue ${taskQueues.join(' and ')}, server ${address}`);
      if (waiting > 0) say(io, `${waitingRuns(waiting)}: \`${cliName()} list --status waiting\``);
      if (hint !== undefined) say(io, hint);
      if (options.json === true) {
        printJson(io, {
          agents,
          taskQueue: taskQueues[0],
          taskQueues,
          address,
          version: version?.version,
        });
      }
      // A drained worker ends on its own.
      await Promise.race([signal, running.ended, context.workerFailed]);
      say(io, ENDING);
      return exitCodes.answered;
    } finally {
      stop();
      await health?.close();
    }
  });
}

/** A worker of another version than the current one gets no new runs. */
async function promotionHint(
  client: Client,
  { name, version }: DeploymentVersion,
): Promise<string | undefined> {
  const current = await currentVersion(client, name);
  if (current === version) return undefined;
  const now = current === null ? 'workers without a version' : `version ${current}`;
  return `New runs get ${now}. \`${cliName()} deploy promote ${version}\` gives them version ${version}.`;
}

async function serveProbes(
  running: RunningWorker,
  { healthPort, healthHost = '127.0.0.1' }: WorkerOptions,
): Promise<HealthServer | undefined> {
  if (healthPort === undefined) return undefined;
  try {
    return await serveHealth(running, healthHost, healthPort);
  } catch (error) {
    throw new UsageError(`--health-port: cannot listen on ${healthHost}:${healthPort}: ${String(error)}`);
  }
}

/** Task queues of runs and of calls only: all, or the ones that the user named. Throws UsageError. */
function chosenQueues(
  own: readonly string[],
  { queues }: LoadedConfig,
  names: readonly string[] | undefined,
): { runs: readonly string[]; calls: readonly string[] } {
  const calls = [...queues.keys()];
  if (names === undefined) return { runs: own, calls };
  const unknown = names.find((name) => !own.includes(name) && !queues.has(name));
  if (unknown !== undefined) {
    throw new UsageError(
      `The config has no task queue "${unknown}". It has: ${[...own, ...calls].join(', ')}. For the calls of runs that started with an earlier config, add queues: { ${JSON.stringify(unknown)}: {} } to it.`,
    );
  }
  const isNamed = (name: string) => names.includes(name);
  return { runs: own.filter(isNamed), calls: calls.filter(isNamed) };
}

/** A worker is for a server that others use, so it starts no server. */
async function checkServer(options: CommonOptions): Promise<void> {
  if (temporalSettings(options).address !== undefined) return;
  const { runningServer, stateDirectory } = await import('../../local/server/server.ts');
  if ((await runningServer(stateDirectory())) !== undefined) return;
  throw new TemporalUnreachable(
    `No Temporal server to work for: start one with \`${cliName()} dev\` (which has a worker already), or set TEMPORAL_ADDRESS.`,
  );
}
