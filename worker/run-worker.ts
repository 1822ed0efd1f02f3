import type { NativeConnection, NativeConnectionOptions, Worker } from '@temporalio/worker';
import { CancelledFailure } from '@temporalio/common';
import { ConfigError } from '../config/define.ts';
import { versionOf } from '../config/deployment-option.ts';
import type { LoadedConfig } from '../config/load/loaded-config.ts';
import { createAgentWorkers } from './create-worker.ts';
import { outliveStrayErrors } from './stray-errors.ts';
import { type WorkerRole, workerIdentity } from './worker-identity.ts';
import { flushTelemetry } from './telemetry/start-telemetry.ts';
import { type LogListener, listenToLog } from './worker-log.ts';

export interface RunWorkerOptions {
  connection: NativeConnectionOptions & { address: string };
  namespace: string;
  /** Task queues of runs. Each gets a worker; all end together. */
  taskQueues: readonly string[];
  /** The served ones of the config's further queues. Default: all. */
  queues?: readonly string[] | undefined;
  role: WorkerRole;
  /** The worker's config, if it is not the project's own. */
  config?: string | undefined;
  /** Folder for the journal of calls under way, for a worker that starts after this one's death. */
  stateDir?: string | undefined;
  /** Calls that the worker of a queue makes at a time. Default: the config's. */
  concurrency?: number | undefined;
  /** Address for Temporal's own metrics. Default: the config's. */
  prometheus?: string | undefined;
  /** `drain` may be called. */
  replaceable?: boolean | undefined;
  /** The command as a shell here finds it, for lines with commands. Default: `reloop`. */
  command?: string | undefined;
  /** Warnings, errors, and logs of tools. */
  onLog: LogListener;
}

export interface RunningWorker {
  /** Settles when the worker has ended; rejects when it ended on its own. */
  ended: Promise<void>;
  /** Takes no more work, gives calls under way some seconds, and resolves when all have ended. */
  stop(): Promise<void>;
  /** Takes no more work, and lets calls under way finish, if replaceable. `stop` still works. */
  drain(): void;
  /** Calls of models and tools, among other activities. */
  callsUnderWay(): number;
  /** Takes work: it neither drains nor stops. */
  isReady(): boolean;
}

/** The worker's `shutdownGraceTime` of create-worker.ts. */
const GRACE_MS = 5_000;

/** Starts to load a worker's modules, so that they are there when a worker starts. */
export function prepareWorker(): void {
  // A failure shows when the worker is started.
  import('@temporalio/worker').catch(() => undefined);
}

/** A worker for the agents of a config, polling when this resolves. */
export async function startWorker(loaded: LoadedConfig, options: RunWorkerOptions): Promise<RunningWorker> {
  const { connection: where, namespace, role, config, stateDir } = options;
  const onLog = logListener(loaded, options);
  checkRuns(loaded, options.taskQueues);
  // The others serve one project here, whose code changes while they run.
  const version = role === 'worker' ? versionOf(loaded.deployment) : undefined;
  const taskQueues = [...options.taskQueues, ...(options.queues ?? loaded.queues.keys())];
  const { NativeConnection } = await import('@temporalio/worker');
  const unlisten = await listenToLog(onLog, {
    taskQueues,
    traced: role === 'run',
    follows: role === 'dev',
    command: options.command,
    // Other roles run beside a worker that may have this address.
    prometheus: role === 'worker' ? (options.prometheus ?? loaded.telemetry?.prometheus) : undefined,
  });
  const connection = await NativeConnection.connect(where).catch((error: unknown) => {
    unlisten();
    throw error;
  });
  const common = {
    connection,
    namespace,
    identity: workerIdentity(role, config),
    version,
    address: where.address,
    stateDir,
    concurrency: options.concurrency,
    // These two serve one config, without rolling deploys.
    rollingDeploys: role === 'worker',
    onWarning: (text: string) => onLog(text, false),
  };
  const drain = new AbortController();
  const patience = options.replaceable === true ? drain.signal : undefined;
  const workers = await createAgentWorkers(loaded, taskQueues, common, patience);
  const outlived = outliveStrayErrors((line) => onLog(line, false));
  const ended = runToEnd(loaded, workers, connection).finally(() => {
    outlived();
    unlisten();
  });
  return {
    ended,
    async stop() {
      shutDown(workers);
      const timer = setTimeout(() => drain.abort(new CancelledFailure('WORKER_SHUTDOWN')), GRACE_MS);
      await ended.finally(() => clearTimeout(timer));
    },
    drain: () => shutDown(workers),
    isReady: () => workers.every((worker) => worker.getState() === 'RUNNING'),
    callsUnderWay: () => workers.reduce((sum, worker) => sum + worker.getStatus().numInFlightActivities, 0),
  };
}

/** The config's logger takes the log of a process that is a worker and nothing else. */
function logListener({ logger }: LoadedConfig, { role, onLog }: RunWorkerOptions): LogListener {
  if (logger === undefined || (role !== 'worker' && role !== 'dev')) return onLog;
  return (line, _waiting, { level, message, fields } = { level: 'warn', message: line, fields: {} }) =>
    logger[level](fields, message);
}

/** Throws ConfigError for runs on a queue whose workers make calls only. */
function checkRuns({ queues, taskQueue }: LoadedConfig, taskQueues: readonly string[]): void {
  const name = taskQueues.find((one) => queues.has(one));
  if (name === undefined) return;
  throw new ConfigError(
    `Task queue "${name}" is one of the config's queues, whose workers make calls only. Runs need another task queue, such as "${taskQueue}".`,
  );
}

async function runToEnd(
  loaded: LoadedConfig,
  workers: readonly Worker[],
  connection: NativeConnection,
): Promise<void> {
  const runs = workers.map((worker) => worker.run());
  try {
    await Promise.all(runs);
  } finally {
    shutDown(workers);
    await Promise.allSettled(runs);
    await flushTelemetry(loaded);
    await connection.close();
  }
}

function shutDown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}
