import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A `reloop` command in a process group of its own. */
export interface Command {
  child: ChildProcess;
  /** What it has printed so far. */
  stdout(): string;
  stderr(): string;
  /** Its exit code; null when a signal ended it. */
  exit: Promise<number | null>;
  /** Resolves when stderr or stdout has the text. */
  prints(text: string): Promise<void>;
  /** SIGKILL to the whole group, as `kill -9 -PGID`. */
  killGroup(): Promise<void>;
}

/** Environment of a command: ours without what would lead it to another server or model. */
export function cleanEnv(extra: { [name: string]: string } = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:OPENAI_|TEMPORAL_|RELOOP_ENCRYPTION_KEYS$|RELOOP_LIVE_URL$)/u.test(name) ||
      name === 'TEMPORAL_CLI_PATH',
  );
  return { ...Object.fromEntries(kept), NO_COLOR: '1', ...extra };
}

export function reloop(args: string[], env: { [name: string]: string } = {}, cwd = root): Command {
  return spawnCommand([main, ...args], env, cwd);
}

/** Node, as a user starts it in a terminal of its own. */
export function spawnCommand(args: string[], env: { [name: string]: string } = {}, cwd = root): Command {
  const child = spawn(process.execPath, args, {
    cwd,
    env: cleanEnv(env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    watchers.forEach((check) => check());
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    watchers.forEach((check) => check());
  });
  const exit = once(child, 'close').then(([code]) => code as number | null); // Node's own event
  return {
    child,
    stdout: () => out,
    stderr: () => err,
    exit,
    prints: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!`${out}\n${err}`.includes(text)) return;
          watchers.delete(check);
          resolve();
        };
        watchers.add(check);
        void exit.then(() => reject(new Error(`ended without printing "${text}":\n${err}`)));
        check();
      }),
    async killGroup() {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
      process.kill(-child.pid, 'SIGKILL');
      await exit;
    },
  };
}
