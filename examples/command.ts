import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const config = fileURLToPath(new URL('./demos.config.ts', import.meta.url));

/** A `reloop` command of the demos, in a process group of its own, its output shown. */
export function reloop(...args: string[]): ChildProcess {
  console.error(`\n$ reloop ${args.join(' ')}`);
  const child = spawn(process.execPath, [main, ...args, '--config', config], {
    detached: true,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  child.stderr.pipe(process.stderr, { end: false });
  return child;
}

/** Resolves when the command has said something on stderr. */
export function says(child: ChildProcess, text: string | RegExp): Promise<void> {
  let seen = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (piece: Buffer) => {
      seen += piece.toString();
      if (seen.match(text)) resolve();
    });
    child.on('close', () => reject(new Error(`The command ended without saying ${String(text)}.`)));
  });
}

/** To be called before the command can have ended. */
export function ends(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('close', resolve));
}
