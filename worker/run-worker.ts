import { hostname } from 'node:os';
import type { NativeConnection, NativeConnectionOptions, Worker } from '@temporalio/worker';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { createAgentWorker } from './create-worker.ts';
import { outliveStrayErrors } from './stray-errors.ts';
import { createLogger } from './worker-log.ts';

/** How long a worker stays: `reloop run` goes when its run is over, the others when somebody ends them. */
export type WorkerRole = 'worker' | 'dev' | 'run';

export interface RunWorkerOptions {
  /** Where Temporal is. */
  connection: NativeConnectionOptions & { address: string };
  namespace: string;
  taskQueue: string;
  role: WorkerRole;
  /** Warnings, errors, and what tools log. */
  onLog(line: string): void;
}

export interface RunningWorker {
  /** Settles when the worker has ended; rejects when it ended by itself. */
  ended: Promise<void>;
  /** Takes no more work, lets what is under way end for some seconds, resolves when all is over. */
  stop(): Promise<void>;
}

/** Begins to load what a worker needs, so that it is there when one is started. */
export function prepareWorker(): void {
  // A failure shows when the worker is started.
  import('@temporalio/worker').catch(() => undefined);
}

/** A worker for the agents of a config, polling when this resolves. */
export async function startWorker(catalog: LoadedConfig, options: RunWorkerOptions): Promise<RunningWorker> {
  const { connection: where, namespace, taskQueue, role, onLog } = options;
  const { NativeConnection, Runtime } = await import('@temporalio/worker');
  Runtime.install({
    logger: createLogger(onLog, role === 'run'),
    // Signals are the command's business: Ctrl-C may mean to cancel a run, which needs this worker.
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
  });
  const connection = await NativeConnection.connect(where);
  const identity = workerIdentity(role);
  const worker = await createAgentWorker(catalog, {
    connection,
    namespace,
    taskQueue,
    identity,
    address: where.address,
    // These two are there for one config; nobody replaces them bit by bit.
    rollingDeploys: role === 'worker',
    onWarning: onLog,
  });
  const outlived = outliveStrayErrors(onLog);
  const ended = runToEnd(worker, connection).finally(outlived);
  return {
    ended,
    async stop() {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await ended;
    },
  };
}

async function runToEnd(worker: Worker, connection: NativeConnection): Promise<void> {
  try {
    await worker.run();
  } finally {
    await connection.close();
  }
}

function workerIdentity(role: WorkerRole): string {
  return `reloop ${role} ${process.pid}@${hostname()}`;
}

/** Whether an identity is that of a worker on this machine that is alive and stays until somebody ends it. */
export function staysHere(identity: string): boolean {
  const match = /^reloop (?:worker|dev) (\d+)@(.*)$/u.exec(identity);
  if (match === null || match[2] !== hostname()) return false;
  try {
    process.kill(Number(match[1]), 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
