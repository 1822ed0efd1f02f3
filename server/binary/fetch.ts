import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scriptArgs } from '../child-script.ts';

export interface FetchOptions {
  /** Empty, private to this attempt. */
  folder: string;
  version: string;
  env: NodeJS.ProcessEnv;
  go: string | undefined;
  signal: AbortSignal | undefined;
  /** Called often; says something now and then. */
  tick(line: (seconds: number) => string): void;
}

/** Returns the path of the binary in `folder`; throws an Error with half a sentence on what went wrong. */
export type Fetch = (options: FetchOptions) => Promise<string>;

/** A download that gains nothing for this long is given up; a slow one goes on as long as it takes. */
const STALLED_MS = 20_000;

const extension = process.platform === 'win32' ? '.exe' : '';

/** In a child process: the SDK's runtime cannot be configured any more once it runs, and its download not be ended. */
export const downloadBySdk: Fetch = async ({ folder, version, env, signal, tick }) => {
  const child = start(process.execPath, [...scriptArgs('binary/download'), folder, version], {
    cwd: folder,
    env,
  });
  let size = 0;
  let changed = Date.now();
  await ended(child, { signal, killSignal: 'SIGKILL' }, async () => {
    const now = await bytesIn(folder);
    if (now !== size) changed = Date.now();
    size = now;
    tick((seconds) => `Downloading the Temporal CLI ${version}, once: ${megabytes(size)} (${seconds} s) ...`);
    if (Date.now() - changed > STALLED_MS) return `nothing came for ${STALLED_MS / 1000} s`;
    return undefined;
  });
  return join(folder, `temporal-${version}${extension}`);
};

export const buildWithGo: Fetch = async ({ folder, version, env, go, signal, tick }) => {
  if (go === undefined) throw new Error('Go is not on PATH');
  const pkg = `github.com/temporalio/cli/cmd/temporal@${version}`;
  const child = start(go, ['install', pkg], { cwd: folder, env: { ...env, GOBIN: folder } });
  await ended(child, { signal, killSignal: 'SIGINT' }, async () => {
    tick(
      (seconds) =>
        `Building the Temporal CLI ${version} with Go, once; this takes some minutes (${seconds} s) ...`,
    );
    return undefined;
  });
  return join(folder, `temporal${extension}`);
};

function start(
  command: string,
  args: string[],
  options: { cwd: string; env: NodeJS.ProcessEnv },
): ChildProcess {
  return spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'], windowsHide: true });
}

/** Waits for exit code 0. `watch` is asked twice a second and may give a reason to stop. */
async function ended(
  child: ChildProcess,
  { signal, killSignal }: { signal: AbortSignal | undefined; killSignal: NodeJS.Signals },
  watch: () => Promise<string | undefined>,
): Promise<void> {
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (stderr = (stderr + piece).slice(-4_000)));
  const closed = once(child, 'close');
  closed.catch(() => undefined); // awaited below
  let reason: string | undefined;
  do {
    reason = signal?.aborted === true ? 'it was called off' : await watch();
  } while (reason === undefined && (await stillRuns(closed)));
  if (reason !== undefined) child.kill(killSignal);
  await closed;
  if (reason !== undefined) throw new Error(reason);
  if (child.exitCode !== 0) {
    throw new Error(lastLine(stderr) ?? `it ended with ${child.exitCode ?? child.signalCode}`);
  }
}

/** Looks again after half a second, or when it has ended. Rejects when it could not be started. */
async function stillRuns(closed: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const pause = sleep(500, true, { signal: timer.signal }).catch(() => true);
  try {
    return await Promise.race([closed.then(() => false), pause]);
  } finally {
    timer.abort();
  }
}

async function bytesIn(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => {
    // Files come and go under our eyes.
    return stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}

/** The SDK says the whole chain of causes, the URL twice; the last few are the reason. */
function lastLine(output: string): string | undefined {
  const line = output.trim().split('\n').at(-1)?.trim() ?? '';
  const reason = line.split(': ').slice(-4).join(': ').replace(/\.$/u, '');
  return reason === '' ? undefined : reason;
}
