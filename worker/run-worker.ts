import { hostname } from 'node:os';
import type { NativeConnection, NativeConnectionOptions, Worker } from '@temporalio/worker';
import { CancelledFailure } from '@temporalio/common';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { createAgentWorker } from './create-worker.ts';
import { outliveStrayErrors } from './stray-errors.ts';
import { type LogListener, listenToLog } from './worker-log.ts';

/** How long a worker stays: `reloop run` goes when its run is over, a `program` with its program, the others when somebody ends them. */
export type WorkerRole = 'worker' | 'dev' | 'run' | 'program';

export interface RunWorkerOptions {
  /** Where Temporal is. */
  connection: NativeConnectionOptions & { address: string };
  namespace: string;
  /** Each gets a worker; all end together. */
  taskQueues: readonly string[];
  role: WorkerRole;
  /** Which config it has, where that is not the project's own. */
  config?: string | undefined;
  /** Where it keeps which calls it has in hand, for a worker that comes after its death. */
  stateDir?: string | undefined;
  /** It may be told to `drain`. */
  replaceable?: boolean | undefined;
  /** Warnings, errors, and what tools log. */
  onLog: LogListener;
}

export interface RunningWorker {
  /** Settles when the worker has ended; rejects when it ended by itself. */
  ended: Promise<void>;
  /** Takes no more work, lets what is under way end for some seconds, resolves when all is over. */
  stop(): Promise<void>;
  /** Takes no more work, lets what is under way go on for as long as it takes, if replaceable. To `stop` it is still possible. */
  drain(): void;
  /** Calls of models and tools, among other activities. */
  callsUnderWay(): number;
}

/** As the worker's own. */
const GRACE_MS = 5_000;

/** Begins to load what a worker needs, so that it is there when one is started. */
export function prepareWorker(): void {
  // A failure shows when the worker is started.
  import('@temporalio/worker').catch(() => undefined);
}

/** A worker for the agents of a config, polling when this resolves. */
export async function startWorker(loaded: LoadedConfig, options: RunWorkerOptions): Promise<RunningWorker> {
  const { connection: where, namespace, taskQueues, role, config, stateDir, onLog } = options;
  const { NativeConnection } = await import('@temporalio/worker');
  const unlisten = await listenToLog(onLog, { taskQueues, traced: role === 'run' });
  const connection = await NativeConnection.connect(where).catch((error: unknown) => {
    unlisten();
    throw error;
  });
  const common = {
    connection,
    namespace,
    identity: workerIdentity(role, config),
    address: where.address,
    stateDir,
    // These two are there for one config; nobody replaces them bit by bit.
    rollingDeploys: role === 'worker',
    onWarning: (text: string) => onLog(text, false),
  };
  const cutOff = new AbortController();
  const patience = options.replaceable === true ? cutOff.signal : undefined;
  const workers = await Promise.all(
    taskQueues.map((taskQueue) => createAgentWorker(loaded, { ...common, taskQueue }, patience)),
  );
  const outlived = outliveStrayErrors((line) => onLog(line, false));
  const ended = runToEnd(workers, connection).finally(() => {
    outlived();
    unlisten();
  });
  return {
    ended,
    async stop() {
      shutDown(workers);
      const timer = setTimeout(() => cutOff.abort(new CancelledFailure('WORKER_SHUTDOWN')), GRACE_MS);
      await ended.finally(() => clearTimeout(timer));
    },
    drain: () => shutDown(workers),
    callsUnderWay: () => workers.reduce((sum, worker) => sum + worker.getStatus().numInFlightActivities, 0),
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

const roles: readonly WorkerRole[] = ['worker', 'dev', 'run', 'program'];

/**
 * Whether an identity is that of a worker on this machine that is alive and stays until somebody ends it, or has agents that
 * nobody else has, as a program with a config of its own.
 */
export function staysHere(identity: string): boolean {
  const worker = workerHere(identity);
  if (worker === undefined) return false;
  return worker.role === 'program' ? worker.config !== undefined : worker.role !== 'run';
}

/** Reads the identity of a worker on this machine that is alive; undefined for any other. */
export function workerHere(identity: string): WorkerHere | undefined {
  const match = /^reloop (worker|dev|run|program) (\d+)@(\S+)(?: (.+))?$/u.exec(identity);
  if (match === null || match[3] !== hostname() || !isAlive(Number(match[2]))) return undefined;
  const role = roles.find((one) => one === match[1]) ?? 'run';
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
