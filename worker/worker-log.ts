import type { LogLevel, LogMetadata, Logger } from '@temporalio/worker';

const LEVELS: readonly LogLevel[] = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'];
const ACTIVITY_FAILED = 'Activity failed';

/**
 * The SDK's log as single lines: warnings, errors and what tools say; not how the worker is getting on. `traced`: a
 * trace is printed beside it, which tells of failed attempts.
 */
export function createLogger(onLine: (line: string) => void, traced: boolean): Logger {
  const log = (level: LogLevel, message: string, meta: LogMetadata = {}) => {
    const atLeast = typeof meta['tool'] === 'string' && !traced ? 'INFO' : 'WARN';
    if (traced && (message === ACTIVITY_FAILED || meta['waiting'] !== undefined)) return;
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(atLeast)) onLine(logLine(level, message, meta));
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
