import { setValue } from '../../agent/values/set-value.ts';
import { existsSync } from 'node:fs';
import { sanitizeForTerminal } from '../../agent/text/sanitize.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type TemporalSettings, temporalSettings } from '../../client/connect/connect.ts';
import { RunNotFound } from '../../client/connect/errors.ts';
import { type LocalTemporal, openLocal } from '../../local/embedded/open-local.ts';
import { environmentKeyring } from '../../features/encryption/keys.ts';
import { environmentLive } from '../../features/live/brokers.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import { stateDirectory } from '../../local/server/project-folder.ts';
import { configKeyring } from './config-keyring.ts';
import { configStorage } from './config-storage.ts';
import { type CommandConfig, namedQueue } from './task-queue.ts';
import type { RunningWorker } from '../../worker/run-worker.ts';
import type { WorkerRole } from '../../worker/worker-identity.ts';
import type { CommonOptions } from '../options/options.ts';
import { createProgressLine } from '../print/progress-line.ts';
import { type Io, say } from '../shell/io.ts';

/** The Temporal server that a command speaks to, and the worker that the command may become. */
export interface CliContext extends Omit<LocalTemporal, 'startWorker'> {
  /** Starts a worker in this process, on each of these task queues of runs, and on the config's further queues: all, or those in `queues`. */
  startWorker(
    config: CommandConfig,
    role: WorkerRole,
    taskQueues: readonly string[],
    queues?: readonly string[],
  ): Promise<RunningWorker>;
  /** Receives the worker's log; a command that draws on the terminal replaces it. */
  notify: (line: string) => void;
}

export interface ContextOptions extends CommonOptions {
  /** Calls that a worker of this process makes at a time. Default: the config's. */
  concurrency?: number;
  /** The config that the command has loaded: its keys, its storage and its side channel are those of the client. */
  loaded?: LoadedConfig | undefined;
  /** Port on which a worker answers probes. Such a worker can drain. */
  healthPort?: number;
  /** Address for Temporal's own metrics. Default: the config's. */
  metrics?: string;
}

/**
 * Opens Temporal, calls `use`, and closes Temporal again. The server: the named one (option, environment,
 * temporal.toml) and no other; without one this project's own, running or started now. Throws TemporalUnreachable.
 */
export async function withTemporal<T>(
  io: Io,
  options: ContextOptions,
  use: (context: CliContext) => Promise<T>,
): Promise<T> {
  const context = await openTemporal(io, options);
  try {
    return await use(context);
  } finally {
    await context.close();
  }
}

/**
 * `withTemporal` for an existing run, whose history is read. If this project has never had a server there is no such run, and
 * no server is started (or fetched) to find that out. Throws RunNotFound.
 */
export async function withHistory<T>(
  io: Io,
  options: ContextOptions,
  id: string,
  use: (context: CliContext, run: AgentRun) => Promise<T>,
): Promise<T> {
  if (await neverStarted(options)) throw new RunNotFound(id);
  return withTemporal(io, options, (context) => use(context, context.client.get(id)));
}

/** True if the user named no server, and this project has not had its own server yet. */
export async function neverStarted(options: ContextOptions): Promise<boolean> {
  if (temporalSettings(options).address !== undefined) return false;
  const { stateFiles } = await import('../../local/server/state-folder.ts');
  return !existsSync(stateFiles(stateDirectory()).db);
}

export function openTemporal(io: Io, options: ContextOptions): Promise<CliContext> {
  return open(io, options, temporalSettings(options));
}

/** Opens this project's own server, whatever server is named. */
export function openEmbedded(io: Io, options: ContextOptions): Promise<CliContext> {
  return open(io, options, { ...temporalSettings(options), address: undefined });
}

/** The proof of a sender's name, for the config's `authorize`. */
export function credentialOf(env: NodeJS.ProcessEnv): string | undefined {
  return setValue(env['RELOOP_CREDENTIAL']);
}

async function open(io: Io, options: ContextOptions, temporal: TemporalSettings): Promise<CliContext> {
  const progress = createProgressLine(io);
  const local = await openLocal({
    temporal,
    stateDir: stateDirectory(),
    taskQueue: namedQueue(io, options),
    encryption: options.loaded?.encryption ?? environmentKeyring(io.env) ?? configKeyring(options.config),
    storage: options.loaded?.storage ?? configStorage(options.config),
    live: options.loaded?.live ?? environmentLive(io.env),
    onProgress: progress.show,
    onNote: progress.note,
  }).finally(progress.end);
  const context: CliContext = {
    ...local,
    client: options.as === undefined ? local.client : local.client.as(options.as, credentialOf(io.env)),
    notify: (line) => say(io, line),
    startWorker: ({ loaded, file, isOwn }, role, taskQueues, queues) =>
      local.startWorker(loaded, {
        taskQueues,
        queues,
        role,
        config: isOwn ? undefined : file,
        concurrency: options.concurrency,
        prometheus: options.metrics,
        replaceable: role === 'dev' || options.healthPort !== undefined,
        onLog: (line) => context.notify(sanitizeForTerminal(line)),
      }),
  };
  return context;
}
