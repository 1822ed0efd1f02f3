import type { Socket } from 'node:net';
import { fieldsOf, parseJson } from '../../../agent/values/json-object.ts';

/** Questions to an interpreter and its answers, one at a time, as lines of JSON. */
export interface Channel {
  /** Rejects with PythonEnded when the other side closes, or sends an invalid line. */
  ask(message: object): Promise<string>;
  isOpen(): boolean;
  closed: Promise<void>;
}

/** The interpreter ended on its own, or something killed it. */
export class PythonEnded extends Error {
  override name = 'PythonEnded';
}

export function openChannel(socket: Socket): Channel {
  let waiting: { resolve(output: string): void; reject(error: Error): void } | undefined;

  onLine(socket, (line) => {
    const output = outputOf(line);
    if (output === undefined) socket.destroy();
    else waiting?.resolve(output);
  });
  // `close` follows and says all that matters.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  void closed.then(() => waiting?.reject(new PythonEnded('The Python process ended')));

  return {
    isOpen: () => !socket.destroyed && socket.readable,
    closed,
    ask(message) {
      // The process stays alive while an answer is awaited.
      socket.ref();
      return new Promise<string>((resolve, reject) => {
        waiting = { resolve, reject };
        if (socket.destroyed) reject(new PythonEnded('The Python process has ended'));
        else socket.write(`${JSON.stringify(message)}\n`);
      }).finally(() => {
        waiting = undefined;
        socket.unref();
      });
    },
  };
}

/** The longest answer that there can be: OUTPUT_LIMIT of repl.py, each byte written as an escape of six characters. */
const MAX_LINE = 6 * 2_000_000 + 1_000;

/**
 * The code could write here, too; a line without an end closes the connection before it fills this process's memory.
 */
function onLine(socket: Socket, handle: (line: string) => void): void {
  let pieces: string[] = [];
  let length = 0;
  socket.setEncoding('utf8').on('data', (piece: string) => {
    const [first = '', ...others] = piece.split('\n');
    pieces.push(first);
    length += first.length;
    for (const next of others) {
      handle(pieces.join(''));
      pieces = [next];
      length = next.length;
    }
    if (length > MAX_LINE) socket.destroy();
  });
}

function outputOf(line: string): string | undefined {
  const { output } = fieldsOf(parseJson(line));
  return typeof output === 'string' ? output : undefined;
}
