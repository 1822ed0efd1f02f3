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
  /** Each gets a worker; all end together. */
  taskQueues: readonly string[];
  role: WorkerRole;
  /** Which config it has, where that is not the project's own. */
  config?: string | undefined;
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
export async function startWorker(loaded: LoadedConfig, options: RunWorkerOptions): Promise<RunningWorker> {
  const { connection: where, namespace, taskQueues, role, config, onLog } = options;
  const { NativeConnection, Runtime } = await import('@temporalio/worker');
  Runtime.install({
    logger: createLogger(onLog, role === 'run'),
    // Signals are the command's business: Ctrl-C may mean to cancel a run, which needs this worker.
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
  });
  const connection = await NativeConnection.connect(where);
  const common = {
    connection,
    namespace,
    identity: workerIdentity(role, config),
    address: where.address,
    // These two are there for one config; nobody replaces them bit by bit.
    rollingDeploys: role === 'worker',
    onWarning: onLog,
  };
  const workers = await Promise.all(
    taskQueues.map((taskQueue) => createAgentWorker(loaded, { ...common, taskQueue })),
  );
  const outlived = outliveStrayErrors(onLog);
  const ended = runToEnd(workers, connection).finally(outlived);
  return {
    ended,
    async stop() {
      shutDown(workers);
      await ended;
    },
  };
}

async function runToEnd(workers: readonly Worker[], connection: NativeConnection): Promise<void> {
  const runs = workers.map((worker) => worker.run());
  try {
    await Promise.all(runs);
  } finally {
    shutDown(workers);
    await Promise.allSettled(runs);
    await connection.close();
  }
}

function shutDown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}

function workerIdentity(role: WorkerRole, config: string | undefined): string {
  return `reloop ${role} ${process.pid}@${hostname()}${config === undefined ? '' : ` ${config}`}`;
}

/** What the identity of a worker says of it. */
export interface WorkerHere {
  role: WorkerRole;
  /** undefined: the project's own. */
  config: string | undefined;
}

/** Whether an identity is that of a worker on this machine that is alive and stays until somebody ends it. */
export function staysHere(identity: string): boolean {
  const { role = 'run' } = workerHere(identity) ?? {};
  return role !== 'run';
}

/** Reads the identity of a worker on this machine that is alive; undefined for any other. */
export function workerHere(identity: string): WorkerHere | undefined {
  const match = /^reloop (worker|dev|run) (\d+)@(\S+)(?: (.+))?$/u.exec(identity);
  if (match === null || match[3] !== hostname() || !isAlive(Number(match[2]))) return undefined;
  const role = match[1] === 'worker' || match[1] === 'dev' ? match[1] : 'run';
  return { role, config: match[4] };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
