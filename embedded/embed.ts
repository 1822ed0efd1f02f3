import { connectTo, temporalSettings } from '../client/connect.ts';
import { ConfigError } from '../config/define.ts';
import { prepareWorker } from '../worker/run-worker.ts';
import type { LogListener } from '../worker/worker-log.ts';
import { type ProgramConfig, isSame, queueOf } from './program-config.ts';
import { programNamed } from './queue-names.ts';
import { slowLines } from './slow-lines.ts';
import type { Embedded, EmbeddedOptions } from './embedded.ts';
import { type ServerHere, workHere } from './work-here.ts';

/** The same, for who follows runs. */
export interface EmbeddedHere extends Embedded {
  /** Rejects when the worker ends by itself; pending for ever where it does not. */
  failed: Promise<never>;
}

/** Throws ConfigError, TemporalUnreachable. */
export async function embed(config: ProgramConfig, options: EmbeddedOptions): Promise<EmbeddedHere> {
  prepareWorker();
  const { onLog } = options;
  const listener: LogListener = onLog === undefined ? sayWaiting : (line) => onLog(line);
  const server = await openServer(options);
  let leave: () => void = () => undefined;
  const end = async () => {
    leave();
    await server.release();
  };
  try {
    const taskQueue = await queueOf(config, server, options.taskQueue);
    leave = enter(`${server.address} ${taskQueue}`, taskQueue, config);
    const work = await workHere(config.loaded, server, {
      taskQueue,
      config: config.definition === undefined ? undefined : (programNamed(taskQueue) ?? 'a program'),
      stateDir: server.stateDir,
      onLog: listener,
    });
    work.failed.catch((error: unknown) =>
      listener(`error: the worker of this program has ended by itself: ${String(error)}`, true),
    );
    let closed: Promise<void> | undefined;
    const close = () => (closed ??= work.stop().then(end));
    const { address, uiUrl } = server;
    const { client, failed } = work;
    return { client, address, uiUrl, taskQueue, failed, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await end();
    throw error;
  }
}

interface OpenServer extends ServerHere {
  uiUrl: string | undefined;
  /** The project's, also where somebody named a server. */
  stateDir: string;
  /** Ours, and of this project; else somebody named it. */
  isOwn: boolean;
  /** Closes the connection; of our own server, lets it end. */
  release(): Promise<void>;
}

async function openServer(options: EmbeddedOptions): Promise<OpenServer> {
  const { address, namespace, connection } = temporalSettings({});
  const { stateDirectory } = await import('../server/state-folder.ts');
  const { stateDir = stateDirectory() } = options;
  if (address !== undefined && options.stateDir === undefined) {
    const temporal = await connectTo(address, namespace, connection);
    const release = () => temporal.connection.close();
    return {
      temporal,
      address,
      namespace,
      connection,
      uiUrl: undefined,
      stateDir,
      isOwn: false,
      release,
    };
  }
  const { acquireServer } = await import('../server/server.ts');
  const server = await acquireServer({
    stateDir,
    onProgress: slowLines(sayLine),
  });
  try {
    const temporal = await connectTo(server.address, namespace);
    const release = async () => {
      await temporal.connection.close();
      await server.release();
    };
    return { ...server, stateDir, temporal, namespace, connection: {}, isOwn: true, release };
  } catch (error) {
    await server.release();
    throw error;
  }
}

const configsAtWork = new Map<string, { config: ProgramConfig; workers: number }>();

/** Two configs on one queue would take each other's runs. Returns what takes this back. Throws ConfigError. */
function enter(key: string, taskQueue: string, config: ProgramConfig): () => void {
  const entry = configsAtWork.get(key) ?? { config, workers: 0 };
  if (!isSame(entry.config, config)) {
    throw new ConfigError(
      `This program is at work with another config on task queue ${taskQueue}, and the two workers would take each other's runs. Put all agents into one config, or give one of them a taskQueue of its own.`,
    );
  }
  configsAtWork.set(key, entry);
  entry.workers++;
  return () => {
    entry.workers--;
    if (entry.workers === 0) configsAtWork.delete(key);
  };
}

function sayWaiting(line: string, waiting: boolean): void {
  if (waiting) sayLine(line);
}

function sayLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
