import { sanitizeForTerminal } from '../../agent/text/sanitize.ts';
import { TASK_QUEUE } from '../../agent/values/names.ts';
import type { ExternalStorage } from '@temporalio/common';
import { AgentClient } from '../../client/api/agent-client.ts';
import { type TemporalSettings, connectTo } from '../../client/connect/connect.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { stateDirectory } from '../server/project-folder.ts';
import type { Keyring } from '../../features/encryption/keys.ts';
import type { LiveOption } from '../../features/live/live-channel.ts';
import type { EmbeddedServer } from '../server/server.ts';
import type { RunWorkerOptions, RunningWorker } from '../../worker/run-worker.ts';

export interface OpenLocalOptions {
  /** Server to connect to. Without an address, the project's own server is started or shared. */
  temporal: TemporalSettings;
  /** Folder for the project's own server, and for the calls that a worker has started. Without it, only the server has one. */
  stateDir?: string | undefined;
  /** Task queue of the client's runs. Default: the usual queue. */
  taskQueue?: string | undefined;
  /** Keys of the client. Default: those of the environment. A worker has the keys of its config. */
  encryption?: Keyring | undefined;
  /** Place of large payloads for the client. A worker has that of its config. */
  storage?: ExternalStorage | undefined;
  /** Side channel of the client's live text. Default: RELOOP_LIVE_URL. */
  live?: LiveOption | undefined;
  /** Progress of the server's start, if the start takes time. Default: `sayIfSlow`. */
  onProgress?: ((line: string) => void) | undefined;
  /** Notes about the server; default `onProgress`. */
  onNote?: ((line: string) => void) | undefined;
}

/** A Temporal server, a client of it and, once they are started, workers in this process. */
export interface LocalTemporal {
  client: AgentClient;
  namespace: string;
  /** The project's own server; undefined if a setting names another one. */
  embedded: EmbeddedServer | undefined;
  /** Starts a worker in this process; the worker polls when this resolves. */
  startWorker(loaded: LoadedConfig, options: LocalWorkerOptions): Promise<RunningWorker>;
  /** Rejects when a worker of this process ends on its own; otherwise stays pending. */
  workerFailed: Promise<never>;
  /** Ends the workers, closes the connection, and lets the project's own server end. A second call waits for the first one. */
  close(): Promise<void>;
}

export type LocalWorkerOptions = Omit<RunWorkerOptions, 'connection' | 'namespace' | 'stateDir' | 'command'>;

/** Throws TemporalUnreachable; nothing stays open then. */
export async function openLocal(options: OpenLocalOptions): Promise<LocalTemporal> {
  const { temporal: settings, stateDir = stateDirectory(), onProgress = sayIfSlow(), onNote } = options;
  if (settings.address !== undefined) return connectLocal(settings.address, settings, undefined, options);
  const { acquireServer } = await import('../server/server.ts');
  const server = await acquireServer({ stateDir, onProgress, onNote });
  try {
    // The settings' TLS and key are for the address that they name.
    const own = { namespace: settings.namespace, connection: {} };
    return await connectLocal(server.address, own, server, options);
  } catch (error) {
    await server.release();
    throw error;
  }
}

async function connectLocal(
  address: string,
  { namespace, connection }: Pick<TemporalSettings, 'namespace' | 'connection'>,
  embedded: EmbeddedServer | undefined,
  { stateDir, taskQueue = TASK_QUEUE, encryption, storage, live }: OpenLocalOptions,
): Promise<LocalTemporal> {
  const temporal = await connectTo(address, namespace, connection, { keys: encryption, storage, live });
  const client = new AgentClient(temporal, address, taskQueue);
  const workers: RunningWorker[] = [];
  let fail: (error: unknown) => void = () => undefined;
  const workerFailed = new Promise<never>((_, reject) => (fail = reject));
  workerFailed.catch(() => undefined); // the reader of a run gets the error
  const close = async () => {
    await Promise.all(workers.map((worker) => worker.stop().catch(() => undefined))); // `workerFailed` has reported it
    await client.close();
    await embedded?.release();
  };
  let closed: Promise<void> | undefined;
  return {
    client,
    namespace,
    embedded,
    workerFailed,
    async startWorker(loaded, workerOptions) {
      const { startWorker } = await import('../../worker/run-worker.ts');
      const worker = await startWorker(loaded, {
        ...workerOptions,
        connection: { ...connection, address },
        namespace,
        stateDir,
        command: cliName(),
      });
      workers.push(worker);
      worker.ended.catch(fail);
      return worker;
    },
    close: () => (closed ??= close()),
  };
}

const SLOW_MS = 2_000;

/** Progress for a program, whose terminal is its own: lines on stderr, once something takes long. */
export function sayIfSlow(): (line: string) => void {
  const startedAt = Date.now();
  return (line) => {
    if (Date.now() - startedAt > SLOW_MS) sayLine(line);
  };
}

export function sayLine(line: string): void {
  process.stderr.write(`${sanitizeForTerminal(line)}\n`);
}
