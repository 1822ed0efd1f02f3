import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** Questions to an interpreter and its answers, one at a time, as lines of JSON. */
export interface Channel {
  /** Rejects with PythonEnded when the other side closes, or says what it should not. */
  ask(message: object): Promise<string>;
  isOpen(): boolean;
  closed: Promise<void>;
}

/** The interpreter ended by itself, or something killed it. */
export class PythonEnded extends Error {
  override name = 'PythonEnded';
}

export function openChannel(socket: Socket): Channel {
  let waiting: { resolve(output: string): void; reject(error: Error): void } | undefined;

  const lines = createInterface({ input: socket });
  lines.on('line', (line) => {
    const output = outputOf(line);
    if (output === undefined) socket.destroy();
    else waiting?.resolve(output);
  });
  // The reader repeats the socket's errors; `close` follows them and says all that matters.
  lines.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  void closed.then(() => waiting?.reject(new PythonEnded('The Python process ended')));

  return {
    isOpen: () => !socket.destroyed && socket.readable,
    closed,
    ask(message) {
      // Whoever waits for an answer is kept alive for it.
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

function outputOf(line: string): string | undefined {
  try {
    const { output } = JSON.parse(line) as { output?: unknown }; // whatever the other side wrote
    return typeof output === 'string' ? output : undefined;
  } catch {
    return undefined;
  }
}
