import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exitCodes } from '../shell/io.ts';
import type { ChildOptions, ConfigSummary, FromChild, ToChild } from './child-messages.ts';

/** A worker's process, as the command sees it. */
export interface WorkerChild {
  pid: number | undefined;
  /** When it was started, in milliseconds of the clock. */
  startedAt: number;
  /** Resolves when its config is loaded, or it is gone. */
  loaded: Promise<ConfigSummary | undefined>;
  /** Resolves when it polls, or it is gone. */
  ready: Promise<Extract<FromChild, { type: 'ready' }> | undefined>;
  /** Resolves when it takes no more work, to the calls that continue; or it is gone. */
  draining: Promise<number | undefined>;
  /** Resolves when the process is gone; `failed` is its last message. */
  gone: Promise<{ how: string; failed: Extract<FromChild, { type: 'failed' }> | undefined }>;
  tell(message: ToChild): void;
  /** Ends the process at once. */
  kill(): void;
}

export interface ChildHandlers {
  env: NodeJS.ProcessEnv;
  onSaid(text: string): void;
  onImported(files: string[]): void;
  onBusy(what: string, over: boolean): void;
}

/** Less room for young objects, in each of the worker's threads: 0.82 to 0.85 times the memory of a worker at rest (docs/performance.md). */
const SMALL = ['--max-semi-space-size=4'];

export function startWorkerChild(options: ChildOptions, handlers: ChildHandlers): WorkerChild {
  const startedAt = Date.now();
  const extension = extname(import.meta.url);
  const script = fileURLToPath(new URL(`./worker-process${extension}`, import.meta.url));
  const child = fork(script, [JSON.stringify(options)], {
    env: handlers.env,
    // Output that tools print must not get into the command's result.
    stdio: ['ignore', 2, 2, 'ipc'],
    execArgv: [
      ...SMALL,
      ...(extension === '.js' ? process.execArgv : ['--import', import.meta.resolve('tsx')]),
    ],
  });
  let failed: Extract<FromChild, { type: 'failed' }> | undefined;
  const gone = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once('error', (error) => resolve(String(error)));
  }).then((how) => ({ how, failed }));
  const onceTold = <T>(read: (message: FromChild) => T | undefined): Promise<T | undefined> =>
    new Promise((resolve) => {
      child.on('message', (message: FromChild) => {
        const value = read(message);
        if (value !== undefined) resolve(value);
      });
      void gone.then(() => resolve(undefined));
    });
  child.on('message', (message: FromChild) => {
    if (message.type === 'said') handlers.onSaid(message.text);
    if (message.type === 'imported') handlers.onImported(message.files);
    if (message.type === 'busy') handlers.onBusy(message.with, message.over);
    if (message.type === 'failed') failed = message;
  });
  return {
    pid: child.pid,
    startedAt,
    loaded: onceTold((message) => (message.type === 'loaded' ? message.summary : undefined)),
    draining: onceTold((message) => (message.type === 'draining' ? message.calls : undefined)),
    ready: onceTold((message) => (message.type === 'ready' ? message : undefined)),
    gone,
    // A process that is about to end need not hear it.
    tell: (message) => void (child.connected && child.send(message, () => undefined)),
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Lines and exit code for a worker process that ended before it polled. */
export async function whyNotReady({ gone }: WorkerChild): Promise<{ lines: string[]; code: number }> {
  const { how, failed } = await gone;
  const lines = [`error: the process that loaded the config ended (${how}).`];
  return failed ?? { lines, code: exitCodes.failed };
}
