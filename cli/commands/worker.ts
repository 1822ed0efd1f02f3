import { temporalSettings } from '../../client/connect.ts';
import { TemporalUnreachable } from '../../client/errors.ts';
import { type Io, printJson, say } from '../io.ts';
import { countWaiting, waitingRuns } from '../count-waiting.ts';
import type { CommonOptions } from '../options.ts';
import { serveUntilSignal } from '../serve.ts';
import { loadCommandConfig, queuesOf } from '../command-config.ts';
import { namedQueue } from '../context.ts';
import { withTemporal } from '../with-run.ts';
import { reloop } from '../../client/typed-command.ts';

/** `reloop worker`: runs the config's agents until it is told to end. */
export async function worker(io: Io, options: CommonOptions): Promise<number> {
  const config = await loadCommandConfig(options.config);
  await checkServer(options);
  return withTemporal(io, options, async (context) => {
    const { address } = context.client;
    const agents = [...config.loaded.agents.keys()];
    const { serves } = await queuesOf(context, config, namedQueue(io, options));
    const taskQueue = serves.join(' and ');
    const waiting = await countWaiting(context);
    const ready = () => {
      say(io, `Worker ready: agents ${agents.join(', ')}, task queue ${taskQueue}, server ${address}`);
      if (waiting > 0) say(io, `${waitingRuns(waiting)}: \`${reloop()} list --status waiting\``);
      if (options.json === true) printJson(io, { agents, taskQueue: serves[0], address });
    };
    return serveUntilSignal(io, context, config, { role: 'worker', taskQueues: serves, ready });
  });
}

/** A worker is for a server that others use: it starts none of its own. */
async function checkServer(options: CommonOptions): Promise<void> {
  if (temporalSettings(options).address !== undefined) return;
  const { runningServer, stateDirectory } = await import('../../server/server.ts');
  if ((await runningServer(stateDirectory())) !== undefined) return;
  throw new TemporalUnreachable(
    `No Temporal server to work for: start one with \`${reloop()} dev\` (which has a worker already), or set TEMPORAL_ADDRESS.`,
  );
}
