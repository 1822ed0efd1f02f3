import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cleanEnv, root } from './cli.ts';

const terminal = fileURLToPath(new URL('./terminal.py', import.meta.url));

/** A command on a terminal of its own, and somebody who types. */
export interface Typist {
  type(keys: string): void;
  /** Resolves when the terminal has shown the text since the last time that one was found. */
  sees(text: string): Promise<void>;
  /** All that was shown, as it was written. */
  screen(): string;
  exit: Promise<number | null>;
  /** Ends the terminal, and with it the command. */
  close(): void;
}

export function onTerminal(
  command: string[],
  {
    env = {},
    columns = 80,
    cwd = root,
  }: { env?: { [name: string]: string }; columns?: number; cwd?: string } = {},
): Typist {
  const child: ChildProcess = spawn('python3', [terminal, String(columns), '40', ...command], {
    cwd,
    env: cleanEnv({ TERM: 'xterm', ...env }),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let shown = '';
  let found = 0;
  let look: () => void = () => undefined;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    look();
  });
  const exit = once(child, 'close').then(([code]) => code as number | null); // Node's own event
  return {
    type: (keys) => void child.stdin?.write(keys),
    screen: () => shown,
    exit,
    close: () => void child.kill(),
    sees: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = shown.indexOf(text, found);
          if (at < 0) return;
          found = at + text.length;
          look = () => undefined;
          resolve();
        };
        void exit.then(() => reject(new Error(`ended without showing "${text}":\n${shown}`)));
        look();
      }),
  };
}
