import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A terminal in which somebody types what a page says. */
export interface Terminal {
  /** Where it is. */
  folder(): string;
  /** Resolves when the command has ended, with what it has shown and its exit code. `cd` is remembered. */
  type(line: string): Promise<{ printed: string; code: number | null }>;
  /** A command that goes on in another window; resolves when it has shown the text. */
  keepRunning(line: string, text: string): Promise<void>;
  /** Ends what still runs. */
  close(): Promise<void>;
}

/** A command that takes longer hangs: no page has one that waits for somebody. */
const LONGEST_MS = 240_000;

export function openTerminal(folder: string, env: { [name: string]: string }): Terminal {
  const scratch = mkdtempSync(join(tmpdir(), 'reloop-terminal-'));
  const running: ChildProcess[] = [];
  let cwd = folder;
  let count = 0;
  const start = (line: string) => {
    const file = join(scratch, `${++count}`);
    const out = openSync(file, 'w');
    // stdout and stderr in the order in which a terminal would show them.
    const child = spawn('sh', ['-c', line], { cwd, env, detached: true, stdio: ['ignore', out, out] });
    closeSync(out);
    return { child, shown: () => readFileSync(file, 'utf8') };
  };
  return {
    folder: () => cwd,
    async type(line) {
      const [, target] = /^cd (\S+)$/u.exec(line) ?? [];
      if (target !== undefined) {
        cwd = resolve(cwd, target);
        return { printed: '', code: 0 };
      }
      const { child, shown } = start(line);
      const tooLong = setTimeout(() => signal(child, 'SIGKILL'), LONGEST_MS);
      const [code] = (await once(child, 'close')) as [number | null]; // Node's own event
      clearTimeout(tooLong);
      return { printed: shown(), code };
    },
    async keepRunning(line, text) {
      const { child, shown } = start(line);
      running.push(child);
      for (const until = Date.now() + LONGEST_MS; !shown().includes(text); await sleep(100)) {
        if (isOver(child) || Date.now() > until)
          throw new Error(`$ ${line}\nnever printed "${text}":\n${shown()}`);
      }
    },
    async close() {
      for (const child of running.toReversed()) await end(child);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** As Ctrl-C, and by force where that is not enough. */
async function end(child: ChildProcess): Promise<void> {
  if (isOver(child)) return;
  const closed = once(child, 'close');
  signal(child, 'SIGINT');
  const forced = setTimeout(() => signal(child, 'SIGKILL'), 20_000);
  await closed;
  clearTimeout(forced);
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** To the command and all it started. */
function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It is over.
  }
}
