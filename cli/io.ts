import { createInterface } from 'node:readline';
import { harmlessOn } from './print/harmless.ts';

/** Where text goes; `columns` and `rows` are there for a terminal. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  /** Told when the window has another size. */
  on?: ((event: 'resize', listener: () => void) => unknown) | undefined;
}

export interface Input extends NodeJS.ReadableStream {
  isTTY?: boolean | undefined;
}

/** All that a command knows of the world around it, so that a test can stand in for a terminal. */
export interface Io {
  stdin: Input;
  stdout: Output;
  stderr: Output;
  env: { [name: string]: string | undefined };
  /**
   * The first SIGINT or SIGTERM goes to the latest handler; without one it ends the process, as the second always does.
   * Returns what takes the handler back.
   */
  onSignal(handler: (signal: 'SIGINT' | 'SIGTERM') => void): () => void;
}

/** A result: stdout. */
export function print({ stdout }: Io, text: string): void {
  stdout.write(`${text}\n`);
}

/** A result in the words of a model or a tool: stdout. */
export function printAnswer({ stdout }: Io, text: string): void {
  stdout.write(`${harmlessOn(stdout, text)}\n`);
}

/** One JSON object on one line: stdout. */
export function printJson(io: Io, value: unknown): void {
  print(io, JSON.stringify(value));
}

/** Anything else: stderr. */
export function say({ stderr }: Io, text: string): void {
  stderr.write(`${text}\n`);
}

export async function readAll({ stdin }: Io): Promise<string> {
  let text = '';
  for await (const piece of stdin.setEncoding('utf8')) text += String(piece);
  return text;
}

/** One line typed in answer to a question; '' where input has ended. */
export async function ask({ stdin, stderr }: Io, question: string): Promise<string> {
  stderr.write(question);
  // Not a readline terminal: Ctrl-C stays a signal while the question is open.
  const lines = createInterface({ input: stdin, terminal: false });
  try {
    for await (const line of lines) return line.trim();
    return '';
  } finally {
    lines.close();
  }
}
