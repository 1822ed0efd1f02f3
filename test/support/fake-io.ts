import { Readable } from 'node:stream';
import type { Io, Output } from '../../cli/shell/io.ts';

/** A terminal, or a pipe, that a test reads and types into. */
export interface FakeIo extends Io {
  /** What was written so far. */
  out(): string;
  err(): string;
  /** Ctrl-C, or what a supervisor sends. */
  signal(name: 'SIGINT' | 'SIGTERM'): void;
}

export function fakeIo({
  typed = '',
  terminal = false,
  columns,
}: { typed?: string; terminal?: boolean; columns?: number } = {}): FakeIo {
  let [out, err] = ['', ''];
  const handlers: Parameters<Io['onSignal']>[0][] = [];
  const isTTY = terminal;
  const outputOf = (add: (text: string) => void): Output => ({
    write(text, done) {
      add(text);
      done?.();
    },
    isTTY,
    columns,
  });
  return {
    stdin: Object.assign(Readable.from([typed]), { isTTY }),
    stdout: outputOf((text) => (out += text)),
    stderr: outputOf((text) => (err += text)),
    env: { NO_COLOR: '1' },
    onSignal(handler) {
      handlers.push(handler);
      return () => void handlers.splice(handlers.indexOf(handler), 1);
    },
    out: () => out,
    err: () => err,
    signal: (name) => handlers.at(-1)?.(name),
  };
}
