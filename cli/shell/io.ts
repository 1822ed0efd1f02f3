import { createInterface } from 'node:readline';
import type { RunStatus } from '../../agent/values/vocabulary.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { sanitizedFor, jsonOn } from './on-terminal.ts';

/** Output stream; only a terminal has `columns` and `rows`. */
export interface Output {
  /** `done` is called when the text is written, or with the error. */
  write(text: string, done?: (error?: Error | null) => void): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  /** Calls `listener` when the window has another size. */
  on?: ((event: 'resize', listener: () => void) => unknown) | undefined;
}

/** Width of an output that reports none, or 0: a pipe, a pty of CI, `docker run -t`, `ssh -tt`. */
const USUAL_COLUMNS = 80;

/** Cells of a line. */
export function columnsOf({ columns }: Pick<Output, 'columns'>): number {
  return columns || USUAL_COLUMNS;
}

export interface Input extends NodeJS.ReadableStream {
  isTTY?: boolean | undefined;
}

/** The environment of a command, so that a test can replace the terminal. */
export interface Io {
  stdin: Input;
  stdout: Output;
  stderr: Output;
  env: { [name: string]: string | undefined };
  /**
   * The first SIGINT or SIGTERM goes to the latest handler; without one it ends the process, as the second always does.
   * Returns the function that removes the handler.
   */
  onSignal(handler: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
}

/** A result: stdout. A terminal gets no control characters. */
export function print({ stdout }: Io, text: string): void {
  stdout.write(`${sanitizedFor(stdout, text)}\n`);
}

/** A result with our own colors: stdout. The caller has sanitized all other texts. */
export function printColored({ stdout }: Io, line: string): void {
  stdout.write(`${line}\n`);
}

/** One JSON object on one line: stdout. */
export function printJson({ stdout }: Io, value: unknown): void {
  stdout.write(`${jsonOn(stdout, JSON.stringify(value))}\n`);
}

/** Prints some items of an array; the first ones open it, and `]` closes it. */
export function printJsonItems({ stdout }: Io, items: readonly unknown[], areFirst: boolean): void {
  const json = items.map((item) => JSON.stringify(item)).join(',');
  stdout.write(`${areFirst ? '[' : ','}${jsonOn(stdout, json)}`);
}

/** Prints to stderr whatever is not a result. A terminal gets no control characters. */
export function say({ stderr }: Io, text: string): void {
  stderr.write(`${sanitizedFor(stderr, text)}\n`);
}

export async function readAll({ stdin }: Io): Promise<string> {
  let text = '';
  for await (const piece of stdin.setEncoding('utf8')) text += String(piece);
  return text;
}

/** One line typed in answer to a question; '' if input has ended, or `signal` is aborted. */
export async function ask({ stdin, stderr }: Io, question: string, signal?: AbortSignal): Promise<string> {
  stderr.write(sanitizedFor(stderr, question));
  // No readline terminal, so that Ctrl-C stays a signal while the question is open.
  const lines = createInterface({ input: stdin, terminal: false });
  const close = () => lines.close();
  signal?.addEventListener('abort', close, { once: true });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    signal?.removeEventListener('abort', close);
    lines.close();
  }
}

export const ENDING = 'Ending: work under way gets a few seconds; again to end at once.';

/** Ctrl-C, or a supervisor's signal; `stop` removes the handler. */
export function untilSignal(io: Io): { signal: Promise<string>; stop(): void } {
  let stop: () => void = () => undefined;
  const signal = new Promise<string>((resolve) => (stop = io.onSignal(resolve)));
  return { signal, stop: () => stop() };
}

/** Exit codes that scripts can rely on. */
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

/** An impossible command line; the message says what is possible. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Exit codes by the signal that ended a command. */
export const signalCodes = { SIGINT: exitCodes.cancelled, SIGTERM: exitCodes.terminated } as const;

/** Exit codes by the status of the run that a command has followed. */
export const statusCodes: { readonly [S in RunStatus]: number } = {
  completed: exitCodes.answered,
  failed: exitCodes.failed,
  stopped: exitCodes.stopped,
  cancelled: exitCodes.cancelled,
  running: exitCodes.waiting,
  waiting: exitCodes.waiting,
  paused: exitCodes.waiting,
};

/** The one map from errors to exit codes and lines. By name: the classes load late, or twice. */
export function failureOf(error: unknown): { code: number; line: string } {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  const { details } = grpcError(error) ?? {};
  const namespace = missingNamespace(details);
  if (namespace !== undefined) {
    const line = `error: There is no namespace "${oneLine(namespace)}" on this server. Name another one with --namespace or TEMPORAL_NAMESPACE.`;
    return { code: exitCodes.usage, line };
  }
  const more = typeof details === 'string' && !message.includes(details) ? `: ${details}` : '';
  return {
    code: codeOf(name, error),
    line: `error: ${oneLine((name === 'DecisionRefused' ? asTyped(message) : message) + more)}`,
  };
}

/** Name of the namespace that the server does not have. Wording: Temporal server 1.28 to 1.31. */
function missingNamespace(details: unknown): string | undefined {
  return typeof details === 'string' ? /^Namespace (.+) is not found\.?$/u.exec(details)?.[1] : undefined;
}

/** The update `cancelCall` is typed as `cancel`. */
export function asTyped(message: string): string {
  return message.replace(/\bcancelCall\b/gu, 'cancel');
}

const UNAVAILABLE = 14;

function codeOf(name: string, error: unknown): number {
  switch (name) {
    case 'UsageError':
    case 'ConfigError':
    case 'InvalidInput':
    case 'RunNotFound':
    case 'SessionNotFound':
    case 'BudgetNotFound':
    case 'ScheduleNotFound':
    case 'DecisionRefused':
    case 'EncryptionKeyMissing':
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
