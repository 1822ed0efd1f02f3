import { existsSync } from 'node:fs';
import type { EmbeddedServer } from '../server/server.ts';
import type { RunWorkerOptions, RunningWorker, WorkerRole } from '../worker/run-worker.ts';
import { AgentClient } from '../client/agent-client.ts';
import { connectTo, temporalSettings } from '../client/connect.ts';
import { RunNotFound } from '../client/errors.ts';
import { TASK_QUEUE } from '../agent/names.ts';
import { pollers } from '../client/task-queue.ts';
import { type Io, say } from './io.ts';
import type { CommonOptions } from './options.ts';
import { harmless } from './print/harmless.ts';
import { createProgressLine } from './print/progress-line.ts';
import type { CommandConfig } from './task-queue.ts';

/** The Temporal server that a command speaks to, and what the command keeps alive for it. */
export interface CliContext {
  client: AgentClient;
  namespace: string;
  /** Ours; undefined where somebody named a server. */
  embedded: EmbeddedServer | undefined;
  /** Starts a worker in this process, on each of these queues. */
  startWorker(config: CommandConfig, role: WorkerRole, taskQueues: readonly string[]): Promise<RunningWorker>;
  /** Rejects when this process's worker ends by itself; pending for ever where there is none. */
  workerFailed: Promise<never>;
  /** Where the worker's log goes; whoever draws on the terminal puts itself in between. */
  notify: (line: string) => void;
  close(): Promise<void>;
}

export type EmbeddedContext = CliContext & { embedded: EmbeddedServer };

export type ContextOptions = CommonOptions;

/**
 * Which server: the one that is named (option, environment, temporal.toml) and no other; else the one this project has
 * running; else one of our own, on this project's file. Throws TemporalUnreachable.
 */
export async function openTemporal(io: Io, options: ContextOptions): Promise<CliContext> {
  const { address, namespace, connection } = temporalSettings(options);
  if (address === undefined) return openEmbedded(io, options);
  const temporal = await connectTo(address, namespace, connection);
  return contextOf(io, { temporal, address, namespace, connection, embedded: undefined }, options);
}

/**
 * The same, to look for a run that is there. Where this project has never had a server there is none, and none is
 * started (or fetched) to find that out. Throws RunNotFound.
 */
export async function openForRun(io: Io, options: ContextOptions, id: string): Promise<CliContext> {
  if (await neverStarted(options)) throw new RunNotFound(id);
  return openTemporal(io, options);
}

/** Nobody named a server, and this project has not had one of its own yet. */
export async function neverStarted(options: ContextOptions): Promise<boolean> {
  if (temporalSettings(options).address !== undefined) return false;
  const { stateDirectory, stateFiles } = await import('../server/state-folder.ts');
  return !existsSync(stateFiles(stateDirectory()).db);
}

/** The server of this project, running or started now. */
export async function openEmbedded(io: Io, options: ContextOptions): Promise<EmbeddedContext> {
  const embedded = await acquire(io);
  try {
    const { address } = embedded;
    const { namespace } = temporalSettings(options);
    const temporal = await connectTo(address, namespace);
    return Object.assign(contextOf(io, { temporal, address, namespace, connection: {}, embedded }, options), {
      embedded,
    });
  } catch (error) {
    await embedded.release();
    throw error;
  }
}

/** What takes its time is said meanwhile. */
async function acquire(io: Io): Promise<EmbeddedServer> {
  const { acquireServer, stateDirectory } = await import('../server/server.ts');
  const progress = createProgressLine(io);
  try {
    return await acquireServer({
      stateDir: stateDirectory(),
      onProgress: progress.show,
      onNote: progress.note,
    });
  } finally {
    progress.end();
  }
}

/** Whether a worker has to be started here: not where somebody named a server, nor beside a `dev` or `worker` that stays. */
export async function needsWorker({ client, embedded }: CliContext, taskQueue: string): Promise<boolean> {
  if (embedded === undefined) return false;
  const { staysHere } = await import('../worker/run-worker.ts');
  return !(await pollers(client.temporal, taskQueue)).some(staysHere);
}

/** The queue that the user named, if any. */
export function namedQueue(
  { env }: Io,
  { taskQueue }: Pick<ContextOptions, 'taskQueue'>,
): string | undefined {
  return taskQueue ?? env['TEMPORAL_TASK_QUEUE'];
}

interface Place {
  temporal: AgentClient['temporal'];
  address: string;
  namespace: string;
  connection: Omit<RunWorkerOptions['connection'], 'address'>;
  embedded: EmbeddedServer | undefined;
}

function contextOf(io: Io, place: Place, options: ContextOptions): CliContext {
  const { temporal, address, namespace, connection, embedded } = place;
  const client = new AgentClient(temporal, address, namedQueue(io, options) ?? TASK_QUEUE);
  let worker: RunningWorker | undefined;
  let fail: (error: unknown) => void = () => undefined;
  const workerFailed = new Promise<never>((_, reject) => (fail = reject));
  workerFailed.catch(() => undefined); // whoever follows a run hears of it

  const opened: CliContext = {
    client,
    namespace,
    embedded,
    workerFailed,
    notify: (line) => say(io, line),
    async startWorker({ loaded, file, isOwn }, role, taskQueues) {
      const { startWorker } = await import('../worker/run-worker.ts');
      const { stateDirectory } = await import('../server/state-folder.ts');
      worker = await startWorker(loaded, {
        connection: { ...connection, address },
        namespace,
        taskQueues,
        role,
        config: isOwn ? undefined : file,
        stateDir: stateDirectory(),
        replaceable: role === 'dev',
        onLog: (line) => opened.notify(harmless(line)),
      });
      worker.ended.catch(fail);
      return worker;
    },
    async close() {
      await worker?.stop().catch(() => undefined); // has been told by workerFailed
      await client.close();
      await embedded?.release();
    },
  };
  return opened;
}
