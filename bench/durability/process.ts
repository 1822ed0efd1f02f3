import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeLimit } from '../../adapters/net/time-limit.ts';

export interface RunState {
  state: 'running' | 'waiting' | 'done' | 'failed';
  answer?: string;
  /** The reason of the wait, if the run waits. */
  reason?: 'approval' | 'doubt';
  error?: string;
}

/** The process of a contestant, which is killed and started again. */
export interface ContestantProcess {
  /** Starts the run, or asks again for a run that was started. */
  start(run: string, question: string): Promise<void>;
  /** undefined: the process does not answer. */
  read(run: string): Promise<RunState | undefined>;
  approve(run: string): Promise<void>;
  /** Kills it with SIGKILL, at once. */
  kill(): void;
  /** Starts it again, when the killed one is gone. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Time between a death and the next start, as a supervisor waits. */
const PAUSE_MS = 200;
const REQUEST_MS = 10_000;

export async function startProcess(
  program: string,
  env: { [name: string]: string },
  node = process.execPath,
): Promise<ContestantProcess> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const execArgv = file.endsWith('.ts') ? ['--import', 'tsx'] : [];
  let child: ChildProcess;
  let port = 0;

  async function start() {
    child = spawn(node, [...execArgv, file], {
      env: { ...process.env, ...env },
      // A group of its own, so that what it has started dies with it.
      detached: true,
      stdio: ['ignore', 'ignore', process.env['DURABILITY_LOG'] === undefined ? 'ignore' : 2, 'ipc'],
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`${program} ended before it was ready. With DURABILITY_LOG=1 it says why.`);
    });
    const [ready] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }]; // of adapters/serve.ts
    ended.catch(() => undefined);
    ({ port } = ready);
  }

  const request = (path: string, init: RequestInit = {}) =>
    withTimeLimit(REQUEST_MS, undefined, async (signal) => {
      const response = await fetch(`http://127.0.0.1:${port}/runs/${path}`, { ...init, signal });
      const body = await response.text();
      if (!response.ok) throw new Error(body);
      return body;
    });
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, 'SIGKILL');
  };
  await start();
  return {
    async start(run, question) {
      await request(run, { method: 'POST', body: question });
    },
    async read(run) {
      try {
        return JSON.parse(await request(run)) as RunState; // of adapters/serve.ts
      } catch {
        return undefined;
      }
    },
    async approve(run) {
      await request(`${run}/approve`, { method: 'POST' });
    },
    kill,
    async restart() {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await sleep(PAUSE_MS);
      await start();
    },
    async stop() {
      kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
