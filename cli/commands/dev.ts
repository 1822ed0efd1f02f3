import type { EmbeddedServer } from '../../server/server.ts';
import { usualPorts } from '../../server/ports.ts';
import { temporalSettings } from '../../client/connect.ts';
import { UsageError } from '../exit-codes.ts';
import { type Io, printJson, say } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import { serveUntilSignal } from '../serve.ts';
import { waitingPath } from '../web-ui.ts';
import { loadCommandConfig, queuesOf } from '../command-config.ts';
import { namedQueue, openEmbedded } from '../context.ts';

export interface DevOptions extends CommonOptions {
  port?: number;
  uiPort?: number;
}

/** `reloop dev`: Temporal with its Web UI, and a worker; stays up. */
export async function dev(io: Io, options: DevOptions): Promise<number> {
  const { port = usualPorts.grpc, uiPort = usualPorts.ui, json = false } = options;
  if (options.address !== undefined) {
    throw new UsageError('dev has a server of its own: for another one, reloop worker --address …');
  }
  const config = await loadCommandConfig(options.config);
  const { address: named } = temporalSettings({});
  const context = await openEmbedded(io, options, { grpc: port, ui: uiPort });
  try {
    const { address, uiUrl, dbFile, startedByUs } = context.embedded;
    checkPorts(context.embedded, options);
    const agents = [...config.loaded.agents.keys()];
    const { serves } = await queuesOf(context, config, namedQueue(io, options));
    const ready = () => {
      if (json) printJson(io, { address, uiUrl, taskQueue: serves[0], agents });
      say(io, `Temporal  ${address}${startedByUs ? '' : ' (was running already)'}, kept in ${dbFile}`);
      say(io, `Web UI    ${uiUrl}`);
      say(io, `Waiting   ${uiUrl}${waitingPath(context.namespace)}`);
      say(io, `Worker    agents ${agents.join(', ')}, task queue ${serves.join(' and ')}`);
      if (named !== undefined) {
        say(io, `note: TEMPORAL_ADDRESS or temporal.toml names ${named}: other commands go there, not here.`);
      }
      say(io, 'Ctrl-C ends it; runs under way go on at the next start.');
    };
    return await serveUntilSignal(io, context, config, { role: 'dev', taskQueues: serves, ready });
  } finally {
    await context.close();
  }
}

/** A port that was asked for by name is not silently another one. */
function checkPorts({ address, uiUrl, startedByUs }: EmbeddedServer, { port, uiPort }: DevOptions): void {
  const elsewhere = [
    ...(port === undefined || address.endsWith(`:${port}`) ? [] : [`port ${port}`]),
    ...(uiPort === undefined || uiUrl.endsWith(`:${uiPort}`) ? [] : [`UI port ${uiPort}`]),
  ];
  if (elsewhere.length === 0) return;
  const why = startedByUs
    ? 'something else listens there'
    : `this project's server runs already, at ${address}`;
  throw new UsageError(
    `Not on ${elsewhere.join(' and ')}: ${why}. Leave the option out, or name another port.`,
  );
}
