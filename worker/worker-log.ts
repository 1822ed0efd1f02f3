import { ConfigError } from '../config/define.ts';
import type { LogLevel, LogMetadata, Logger } from '@temporalio/worker';

const LEVELS: readonly LogLevel[] = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'];
/** The SDK's messages whose errors a trace shows too. */
const TRACED = ['Activity failed', 'Workflow failed'];

/** Receives a line; `waiting`: it says that a run waits for a person. `entry`: the same with its fields. */
export type LogListener = (line: string, waiting: boolean, entry?: LogEntry) => void;

/** A line of the log, for a logger that writes fields. */
export interface LogEntry {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  fields: { [name: string]: unknown };
}

/** Listeners of the workers of this process, with their queues: the SDK has one log for all. */
const listeners = new Map<LogListener, readonly string[]>();

/**
 * Passes lines of the SDK's log to `onLine`: those about the worker of these queues, and those about no worker. The
 * returned function ends it. If the user's own worker has set up the SDK in this process before, the log stays as it
 * is.
 */
export async function listenToLog(
  onLine: LogListener,
  {
    taskQueues,
    prometheus,
    ...options
  }: LogOptions & { taskQueues: readonly string[]; prometheus?: string | undefined },
): Promise<() => void> {
  const { Runtime } = await import('@temporalio/worker');
  try {
    Runtime.install({
      logger: createLogger(tellListeners, options),
      // Signals are the program's business: Ctrl-C may mean to cancel a run, which needs this worker.
      shutdownSignals: [],
      telemetryOptions: {
        logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
        ...(prometheus === undefined ? {} : { metrics: { prometheus: { bindAddress: prometheus } } }),
      },
    });
  } catch (error) {
    const { name, message } = error as Error; // the SDK throws nothing else
    if (prometheus !== undefined && name !== 'IllegalStateError')
      throw new ConfigError(
        `Temporal's metrics cannot be served at ${prometheus}: ${message}. Give another address: --metrics, or telemetry.prometheus in the config.`,
      );
    if (name !== 'IllegalStateError') throw error;
  }
  const listener: LogListener = (...said) => onLine(...said); // a separate object, also for the same function
  listeners.set(listener, taskQueues);
  return () => void listeners.delete(listener);
}

function tellListeners(line: string, waiting: boolean, taskQueue: unknown, entry: LogEntry): void {
  const isNobodys = ![...listeners.values()].some((queues) => queues.some((queue) => queue === taskQueue));
  for (const [tell, queues] of listeners) {
    if (isNobodys || queues.some((queue) => queue === taskQueue)) tell(line, waiting, entry);
  }
}

export interface LogOptions {
  /** A trace is printed beside the log: it has failed attempts, waits and the failure of the run. */
  traced: boolean;
  /** Logs the ends of waits and runs, too, so that readers see which waits are closed. */
  follows?: boolean | undefined;
  /** The command as a shell here finds it: `npx reloop`. */
  command?: string | undefined;
}

/** The SDK's log as single lines: warnings, errors and messages of tools; nothing of the worker's own state. */
export function createLogger(
  onLine: (line: string, waiting: boolean, taskQueue: unknown, entry: LogEntry) => void,
  { traced, follows = false, command = 'reloop' }: LogOptions,
): Logger {
  const log = (level: LogLevel, message: string, meta: LogMetadata = {}) => {
    if (follows && isEnd(message, meta)) level = 'INFO';
    const atLeast = typeof meta['tool'] === 'string' || isEnd(message, meta) ? 'INFO' : 'WARN';
    const waiting = meta['waiting'] !== undefined;
    if (message === CALLS_ONLY || (traced && (TRACED.includes(message) || waiting))) return;
    if (LEVELS.indexOf(level) < LEVELS.indexOf(atLeast)) return;
    const toType = waiting ? `. ${String(meta['command']).replace(/^reloop\b/u, command)}` : '';
    const entry = { level: levelOf(level), message: messageOf(message) + toType, fields: fieldsOf(meta) };
    onLine(logLine(level, messageOf(message), meta) + toType, waiting, meta['taskQueue'], entry);
  };
  return {
    log,
    trace: (message, meta) => log('TRACE', message, meta),
    debug: (message, meta) => log('DEBUG', message, meta),
    info: (message, meta) => log('INFO', message, meta),
    warn: (message, meta) => log('WARN', message, meta),
    error: (message, meta) => log('ERROR', message, meta),
  };
}

/** The SDK's warning about a worker of one of the config's `queues`, which makes calls only. */
const CALLS_ONLY = 'No workflows registered, not polling for workflow tasks';

const ENDED: { readonly [message: string]: string } = {
  'Workflow completed': 'ended',
  'Workflow completed as cancelled': 'cancelled',
};
const RUNS: readonly unknown[] = ['agentRun', 'backtestRun'];

/** The end of a wait or of a run. */
function isEnd(message: string, meta: LogMetadata): boolean {
  return meta['resumed'] !== undefined || (message in ENDED && RUNS.includes(meta['workflowType']));
}

/** The names of a logger's methods. */
function levelOf(level: LogLevel): LogEntry['level'] {
  return ({ TRACE: 'debug', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const)[level];
}

/** Fields that say where an entry comes from, and those that the user's code gave. */
function fieldsOf({ error, ...meta }: LogMetadata): LogEntry['fields'] {
  const { command: _, sdkComponent: __, ...fields } = meta;
  return error === undefined ? fields : { ...fields, err: error };
}

function messageOf(message: string): string {
  return ENDED[message] ?? message;
}

function logLine(level: LogLevel, message: string, meta: LogMetadata): string {
  const { workflowId, activityType, activityId, attempt, error } = meta;
  const where = [
    activityType === undefined ? '' : `${String(activityType)} (${String(activityId)})`,
    workflowId === undefined ? '' : `run ${String(workflowId)}`,
    Number(attempt) > 1 ? `attempt ${String(attempt)}` : '',
  ].filter((part) => part !== '');
  const why = error instanceof Error ? `: ${error.message}` : '';
  const words = `${level.toLowerCase()}: ${where.join(', ')}${where.length > 0 ? ': ' : ''}${message}${why}`;
  return words.replace(/\s+/gu, ' ');
}
