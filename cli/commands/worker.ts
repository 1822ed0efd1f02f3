import { loadConfig } from '../../config/load.ts';
import { temporalSettings } from '../../client/connect.ts';
import { TemporalUnreachable } from '../../client/errors.ts';
import { type Io, printJson, say } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import { serveUntilSignal } from '../serve.ts';
import { openTemporal } from '../context.ts';

/** `reloop worker`: runs the config's agents until it is told to end. */
export async function worker(io: Io, options: CommonOptions): Promise<number> {
  const catalog = await loadConfig(options.config);
  const { taskQueue = catalog.taskQueue } = options;
  await checkServer(options);
  const session = await openTemporal(io, options);
  try {
    const { address } = session.client;
    const agents = [...catalog.agents.keys()];
    const ready = () => {
      say(io, `Worker ready: agents ${agents.join(', ')}, task queue ${taskQueue}, server ${address}`);
      if (options.json === true) printJson(io, { agents, taskQueue, address });
    };
    return await serveUntilSignal(io, session, catalog, { role: 'worker', taskQueue, ready });
  } finally {
    await session.close();
  }
}

/** A worker is for a server that others use: it starts none of its own. */
async function checkServer(options: CommonOptions): Promise<void> {
  if (temporalSettings(options).address !== undefined) return;
  const { runningServer, stateDirectory } = await import('../../server/server.ts');
  if ((await runningServer(stateDirectory())) !== undefined) return;
  throw new TemporalUnreachable(
    'No Temporal server to work for: start one with `reloop dev` (which has a worker already), or set TEMPORAL_ADDRESS.',
  );
}
