import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const config = fileURLToPath(new URL('./demos.config.ts', import.meta.url));

/** A `reloop` command of the demos, in a process group of its own, its output shown. */
export function reloop(...args: string[]): ChildProcess {
  const child = start(args, 'inherit');
  child.stderr?.pipe(process.stderr, { end: false });
  return child;
}

/** One that decides about a run which another command already shows: only what it says of the decision is shown. */
export function reloopDecides(...args: string[]): ChildProcess {
  const child = start(args, 'ignore');
  const lines = createInterface({ input: child.stderr ?? Readable.from([]) });
  lines.on('line', (line) => {
    if (/^(?:Recorded|error:)/u.test(line)) console.error(line);
  });
  return child;
}

function start(args: string[], stdout: 'inherit' | 'ignore'): ChildProcess {
  console.error(`\n$ reloop ${args.join(' ')}`);
  return spawn(process.execPath, [main, ...args, '--config', config], {
    detached: true,
    stdio: ['ignore', stdout, 'pipe'],
  });
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
