import type { RunReport } from '../client/report.ts';
import { oneLine } from './print/display.ts';

/** What a script can rely on. */
export const exitCodes = {
  answered: 0,
  failed: 1,
  usage: 2,
  stopped: 3,
  waiting: 4,
  unreachable: 5,
  cancelled: 130,
  terminated: 143,
} as const;

/** A command line that cannot be carried out; the message says what would. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export function exitCodeOf({ status }: Pick<RunReport, 'status'>): number {
  switch (status) {
    case 'completed':
      return exitCodes.answered;
    case 'failed':
      return exitCodes.failed;
    case 'stopped':
      return exitCodes.stopped;
    case 'cancelled':
      return exitCodes.cancelled;
    case 'running':
    case 'waiting':
    case 'paused':
      return exitCodes.waiting;
  }
}

/** The one place where what was thrown becomes an exit code and a line. By name: the classes load late, or twice. */
export function failureOf(error: unknown): { code: number; line: string } {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  const { details } = grpcError(error) ?? {};
  const more = typeof details === 'string' && !message.includes(details) ? `: ${details}` : '';
  return { code: codeOf(name, error), line: `error: ${oneLine(message + more)}` };
}

const UNAVAILABLE = 14;

function codeOf(name: string, error: unknown): number {
  switch (name) {
    case 'UsageError':
    case 'ConfigError':
    case 'InvalidInput':
    case 'RunNotFound':
    case 'SessionNotFound':
    case 'DecisionRefused':
    case 'NamespaceNotFoundError':
      return exitCodes.usage;
    case 'TemporalUnreachable':
      return exitCodes.unreachable;
    default:
      return grpcError(error)?.code === UNAVAILABLE ? exitCodes.unreachable : exitCodes.failed;
  }
}

/** A gRPC error, or the one behind an error. */
function grpcError(error: unknown): { code: unknown; details: unknown } | undefined {
  if (!(error instanceof Error)) return undefined;
  return 'code' in error && 'details' in error ? error : grpcError(error.cause);
}
