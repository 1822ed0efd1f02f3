import { AgentClient } from '../../client/api/agent-client.ts';
import { temporalSettings } from '../../client/connect/connect.ts';
import { checkedConcurrency } from '../../config/options/concurrency-option.ts';
import { ConfigError } from '../../config/define.ts';
import { stateDirectory } from '../server/project-folder.ts';
import { prepareWorker } from '../../worker/run-worker.ts';
import type { LogListener } from '../../worker/worker-log.ts';
import { programNamed } from './config-queues.ts';
import { openLocal, sayLine } from './open-local.ts';
import { type ProgramConfig, isSame, queueOf } from './program-config.ts';

export interface EmbeddedOptions {
  /**
   * Folder of the Temporal server's data. Default: that of this project's commands, RELOOP_STATE_DIR or `.reloop` beside the
   * nearest package.json. Where it is given, no server that TEMPORAL_ADDRESS names is used.
   */
  stateDir?: string | undefined;
  /**
   * Task queue of the program's runs and worker. Default: the config's, TEMPORAL_TASK_QUEUE, or one named after the
   * program's file; for the project's own config that of `reloop dev`.
   */
  taskQueue?: string | undefined;
  /** Calls of models and tools that the worker makes at a time. Default: the config's, or as its memory allows. */
  concurrency?: number | undefined;
  /** Called for each line of the worker's log. Default: prints only lines about waits, on stderr. */
  onLog?: ((line: string) => void) | undefined;
}

/** A Temporal server and a worker that are there as long as a program needs them. */
export interface Embedded {
  /** Client whose runs this program's worker serves. */
  client: AgentClient;
  address: string;
  /** URL of the server's Web UI; undefined if the caller named the server. */
  uiUrl: string | undefined;
  taskQueue: string;
  /**
   * Ends the worker: calls under way get some seconds, and open runs continue at the next start. Then the program can
   * end.
   */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** `Embedded`, for a caller that follows runs. */
export interface OpenProgram extends Embedded {
  /** Rejects when the worker ends on its own; otherwise stays pending. */
  failed: Promise<never>;
}

/** Temporal and a worker for a program's config. Throws ConfigError, TemporalUnreachable. */
export async function openProgram(config: ProgramConfig, options: EmbeddedOptions): Promise<OpenProgram> {
  prepareWorker();
  const { onLog, stateDir } = options;
  const concurrency = checkedConcurrency('startEmbedded', options.concurrency);
  const listener: LogListener = onLog === undefined ? sayWaiting : (line) => onLog(line);
  const settings = temporalSettings({});
  const local = await openLocal({
    temporal: stateDir === undefined ? settings : { ...settings, address: undefined },
    stateDir: stateDir ?? stateDirectory(),
    encryption: config.loaded.encryption,
    storage: config.loaded.storage,
    live: config.loaded.live,
  });
  let leave: () => void = () => undefined;
  try {
    const { address, temporal } = local.client;
    const taskQueue = await queueOf(config, local, options.taskQueue);
    leave = enter(`${address} ${taskQueue}`, taskQueue, config);
    await local.startWorker(config.loaded, {
      taskQueues: [taskQueue],
      role: 'program',
      config: config.definition === undefined ? undefined : (programNamed(taskQueue) ?? 'a program'),
      concurrency,
      onLog: listener,
    });
    local.workerFailed.catch((error: unknown) =>
      listener(`error: the worker of this program has ended on its own: ${String(error)}`, true),
    );
    let closed: Promise<void> | undefined;
    const close = () => (closed ??= local.close().finally(leave));
    return {
      client: new AgentClient(temporal, address, taskQueue),
      address,
      uiUrl: local.embedded?.uiUrl,
      taskQueue,
      failed: local.workerFailed,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    leave();
    await local.close();
    throw error;
  }
}

const configsAtWork = new Map<string, { config: ProgramConfig; workers: number }>();

/**
 * Registers a config for a queue: two configs on one queue would take each other's runs. Returns the function that
 * removes it. Throws ConfigError.
 */
function enter(key: string, taskQueue: string, config: ProgramConfig): () => void {
  const entry = configsAtWork.get(key) ?? { config, workers: 0 };
  if (!isSame(entry.config, config)) {
    throw new ConfigError(
      `This program is at work with another config on task queue ${taskQueue}, and the two workers would take each other's runs. Put all agents into one config, or give one of them a separate taskQueue.`,
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
