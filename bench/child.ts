import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A program of the bench in a process of its own. It ends when its parent is gone. */
export interface Child<Ready> {
  pid: number;
  /** The first message that it sent. */
  ready: Ready;
  /** Resolves when it is gone. */
  ended: Promise<unknown>;
  stop(): Promise<void>;
  /** Kills the program with SIGKILL, at once. Resolves when it is gone. */
  kill(): Promise<void>;
}

export interface ChildOptions {
  /** Path of Node. Default: this process's. */
  execPath?: string | undefined;
  /** Drops the program's output. Default: it goes to stderr. */
  isSilent?: boolean;
}

/** A worker may have runs that will never end. */
const PATIENCE_MS = 15_000;

/** Starts a program beside this file; resolves with its first message. Throws when it ends without one. */
export async function startChild<Ready>(
  program: string,
  env: { [name: string]: string } = {},
  { execPath = process.execPath, isSilent = false }: ChildOptions = {},
): Promise<Child<Ready>> {
  const path = fileURLToPath(new URL(program, import.meta.url));
  const execArgv = path.endsWith('.ts') ? ['--import', 'tsx'] : [];
  const output = isSilent ? 'ignore' : 2;
  const child = fork(path, [], {
    execPath,
    execArgv,
    env: { ...process.env, ...env },
    // What it prints is no result of the bench.
    stdio: ['ignore', output, output, 'ipc'],
  });
  const ended = once(child, 'exit');
  const [ready] = (await Promise.race([
    once(child, 'message'),
    ended.then(([code, signal]) => {
      throw new Error(`${program} ended (${String(code ?? signal)}) before it was ready.`);
    }),
  ])) as [Ready]; // of our own programs
  return {
    pid: pidOf(child),
    ready,
    ended,
    async stop() {
      if (child.connected) child.disconnect();
      const stuck = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
      await ended;
      clearTimeout(stuck);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('A program of the bench could not be started.');
  return pid;
}
