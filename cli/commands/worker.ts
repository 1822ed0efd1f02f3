import { temporalSettings } from '../../client/connect/connect.ts';
import { TemporalUnreachable } from '../../client/connect/errors.ts';
import { type Io, ENDING, exitCodes, printJson, say, untilSignal } from '../shell/io.ts';
import { checkAgents, loadCommandConfig } from '../connection/command-config.ts';
import { type ContextOptions, withTemporal } from '../connection/context.ts';
import { namedQueue, queuesOf } from '../connection/task-queue.ts';
import { countWaiting, waitingRuns } from '../connection/find-runs.ts';
import type { CommonOptions } from '../options/options.ts';
import { cliName } from '../../client/connect/cli-name.ts';

/** `reloop worker`: runs the config's agents until it is told to end. */
export async function worker(io: Io, options: ContextOptions): Promise<number> {
  const config = await loadCommandConfig(options.config);
  await checkServer(options);
  return withTemporal(io, options, async (context) => {
    const { address } = context.client;
    const agents = [...config.loaded.agents.keys()];
    const { serves } = await queuesOf(context, config, namedQueue(io, options));
    const taskQueue = serves.join(' and ');
    const waiting = await countWaiting(context);
    checkAgents(io, config.loaded);
    const { signal, stop } = untilSignal(io);
    try {
      await context.startWorker(config, 'worker', serves);
      say(io, `Worker ready: agents ${agents.join(', ')}, task queue ${taskQueue}, server ${address}`);
      if (waiting > 0) say(io, `${waitingRuns(waiting)}: \`${cliName()} list --status waiting\``);
      if (options.json === true) printJson(io, { agents, taskQueue: serves[0], address });
      await Promise.race([signal, context.workerFailed]);
      say(io, ENDING);
      return exitCodes.answered;
    } finally {
      stop();
    }
  });
}

/** A worker is for a server that others use, so it starts no server. */
async function checkServer(options: CommonOptions): Promise<void> {
  if (temporalSettings(options).address !== undefined) return;
  const { runningServer, stateDirectory } = await import('../../server/server.ts');
  if ((await runningServer(stateDirectory())) !== undefined) return;
  throw new TemporalUnreachable(
    `No Temporal server to work for: start one with \`${cliName()} dev\` (which has a worker already), or set TEMPORAL_ADDRESS.`,
  );
}
