import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { withTimeLimit } from '../../adapters/net/time-limit.ts';
import { startChild } from '../child.ts';
import { pathOf } from './contestants.ts';

export interface RunState {
  state: 'running' | 'waiting' | 'done' | 'failed' | 'cancelled';
  answer?: string;
  /** The reason of the wait, if the run waits. */
  reason?: 'approval' | 'doubt';
  error?: string;
}

/** The process of a contestant, which is killed and started again. */
export interface ContestantProcess {
  /** Sends a message of the run, from 1, or asks again for one that was sent. */
  start(run: string, message: number, question: string): Promise<void>;
  /** Reads what became of a message. undefined: the process does not answer. */
  read(run: string, message: number): Promise<RunState | undefined>;
  approve(run: string): Promise<void>;
  /** Resolves when the program has taken the request. */
  cancel(run: string): Promise<void>;
  /** Kills it with SIGKILL, at once. */
  kill(): void;
  /** Starts it again if it has ended, with these variables from now on. Returns true if it had. One start at a time: there are never two processes. */
  restart(more?: { [name: string]: string }): Promise<boolean>;
  stop(): Promise<void>;
}

/** Time between a death and the next start, as a supervisor waits. */
const PAUSE_MS = 200;
const REQUEST_MS = 10_000;

export async function startProcess(
  program: string,
  env: { [name: string]: string },
  execPath?: string,
): Promise<ContestantProcess> {
  const isSilent = process.env['DURABILITY_LOG'] === undefined;
  const file = program.endsWith('.ts') ? await compiled(program) : program;
  let variables = env;
  const start = () => startChild<{ port: number }>(`durability/${file}`, variables, { execPath, isSilent });
  let child = await start();
  let death: Promise<void> | undefined;
  const live = (next: typeof child) => {
    child = next;
    death = undefined;
    void next.ended.then(() => {
      if (child === next) death ??= Promise.resolve();
    });
  };
  live(child);
  const startAgain = async (): Promise<boolean> => {
    if (death === undefined) return false;
    await death;
    await sleep(PAUSE_MS);
    live(await start());
    return true;
  };
  let restarting: Promise<boolean> = Promise.resolve(false);

  const request = (path: string, init: RequestInit = {}) =>
    withTimeLimit(REQUEST_MS, undefined, async (signal) => {
      const response = await fetch(`http://127.0.0.1:${child.ready.port}/runs/${path}`, { ...init, signal });
      const body = await response.text();
      if (!response.ok) throw new Error(body);
      return body;
    });
  return {
    async start(run, message, question) {
      await request(`${run}/${message}`, { method: 'POST', body: question });
    },
    async read(run, message) {
      try {
        return JSON.parse(await request(`${run}/${message}`)) as RunState; // of adapters/serve.ts
      } catch {
        return undefined;
      }
    },
    async approve(run) {
      await request(`${run}/approve`, { method: 'POST' });
    },
    async cancel(run) {
      await request(`${run}/cancel`, { method: 'POST' });
    },
    kill() {
      death = child.kill();
    },
    restart(more) {
      if (more !== undefined) variables = { ...env, ...more };
      restarting = restarting.then(startAgain, startAgain);
      return restarting;
    },
    stop: () => child.kill(),
  };
}

/** Compiles a program once, as a user does before production. A loader of TypeScript would take seconds of each start. */
async function compiled(program: string): Promise<string> {
  const outfile = `dist/${program.replace(/\.ts$/u, '.js')}`;
  await build({
    entryPoints: [pathOf(program)],
    outfile: pathOf(outfile),
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
  return outfile;
}
