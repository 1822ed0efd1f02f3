import type { LogLevel, LogMetadata, Logger } from '@temporalio/worker';

const LEVELS: readonly LogLevel[] = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'];
const ACTIVITY_FAILED = 'Activity failed';

/** Told a line; `waiting`: it says that a run waits for a person. */
export type LogListener = (line: string, waiting: boolean) => void;

/** Of the workers of this process, with their queues: the SDK has one log for all of them. */
const listeners = new Map<LogListener, readonly string[]>();

/**
 * Has the lines of the SDK's log that are about the worker of these queues said to `onLine`, and those about none, until
 * what is returned is called. Where a worker of the user's own has set up the SDK in this process before, its log stays
 * where it is.
 */
export async function listenToLog(
  onLine: LogListener,
  { taskQueues, traced }: { taskQueues: readonly string[]; traced: boolean },
): Promise<() => void> {
  const { Runtime } = await import('@temporalio/worker');
  try {
    Runtime.install({
      logger: createLogger(tellListeners, traced),
      // Signals are the program's business: Ctrl-C may mean to cancel a run, which needs this worker.
      shutdownSignals: [],
      telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'IllegalStateError') throw error;
  }
  const listener: LogListener = (...said) => onLine(...said); // one of its own, also for the same function
  listeners.set(listener, taskQueues);
  return () => void listeners.delete(listener);
}

function tellListeners(line: string, waiting: boolean, taskQueue: unknown): void {
  const isNobodys = ![...listeners.values()].some((queues) => queues.some((queue) => queue === taskQueue));
  for (const [tell, queues] of listeners) {
    if (isNobodys || queues.some((queue) => queue === taskQueue)) tell(line, waiting);
  }
}

/**
 * The SDK's log as single lines: warnings, errors and what tools say; not how the worker is getting on. `traced`: a
 * trace is printed beside it, which tells of failed attempts.
 */
export function createLogger(
  onLine: (line: string, waiting: boolean, taskQueue: unknown) => void,
  traced: boolean,
): Logger {
  const log = (level: LogLevel, message: string, meta: LogMetadata = {}) => {
    const atLeast = typeof meta['tool'] === 'string' ? 'INFO' : 'WARN';
    const waiting = meta['waiting'] !== undefined;
    if (traced && (message === ACTIVITY_FAILED || waiting)) return;
    if (LEVELS.indexOf(level) < LEVELS.indexOf(atLeast)) return;
    onLine(logLine(level, message, meta), waiting, meta['taskQueue']);
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
