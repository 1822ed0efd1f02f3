import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptArgs } from '../child-script.ts';
import type { Tell } from './progress.ts';

/** Server 1.29.1, UI 2.42.1: the newest that `go install` accepts. */
export const TEMPORAL_VERSION = 'v1.5.1';

/** Suffix of programs on this system. */
export const EXE = process.platform === 'win32' ? '.exe' : '';

export interface FetchOptions {
  /** Empty, private to this attempt. */
  folder: string;
  env: NodeJS.ProcessEnv;
  tell: Tell;
}

/** Returns the path of the binary in `folder`; throws an Error with the reason as half a sentence. */
export type Fetch = (options: FetchOptions) => Promise<string>;

/** A download that gains nothing for this long is given up; a slow one continues as long as it takes. */
const STALLED_MS = 20_000;

/** In a child process: the SDK's runtime cannot be configured any more once it runs, and its download not be ended. */
export const downloadBySdk: Fetch = async (options) => {
  const { folder, tell } = options;
  let [size, changed] = [0, Date.now()];
  const args = [...scriptArgs('binary/download'), folder, TEMPORAL_VERSION];
  await run(process.execPath, args, options, async () => {
    const now = await bytesIn(folder);
    if (now !== size) [size, changed] = [now, Date.now()];
    const megabytes = Math.round(size / 1024 / 1024);
    tell((s) => `Downloading the Temporal CLI ${TEMPORAL_VERSION}, once: ${megabytes} MB (${s} s) ...`);
    return Date.now() - changed > STALLED_MS ? `nothing came for ${STALLED_MS / 1000} s` : undefined;
  });
  return join(folder, `temporal-${TEMPORAL_VERSION}${EXE}`);
};

export const buildWithGo: Fetch = async (options) => {
  const { folder, tell } = options;
  const env = { ...options.env, GOBIN: folder };
  const args = ['install', `github.com/temporalio/cli/cmd/temporal@${TEMPORAL_VERSION}`];
  await run('go', args, { folder, env }, async () => {
    const what = `Building the Temporal CLI ${TEMPORAL_VERSION} with Go, once; this takes some minutes`;
    tell((s) => `${what} (${s} s) ...`);
    return undefined;
  });
  return join(folder, `temporal${EXE}`);
};

/** Runs a command to its end. `watch` is asked now and then and may give a reason to stop. */
async function run(
  command: string,
  args: string[],
  { folder, env }: Omit<FetchOptions, 'tell'>,
  watch: () => Promise<string | undefined>,
): Promise<void> {
  let reason: string | undefined;
  await new Promise<void>((resolve, reject) => {
    const child = execFile(command, args, { cwd: folder, env, windowsHide: true }, (error, _out, stderr) => {
      if (error === null) resolve();
      else if (error.code === 'ENOENT') reject(new Error(`${command} is not on PATH`));
      else reject(new Error(reason ?? (lastLine(stderr) || error.message)));
    });
    const look = async () => {
      reason ??= await watch().catch(() => undefined);
      if (reason !== undefined) child.kill('SIGKILL');
    };
    const looks = setInterval(() => void look(), 500);
    child.once('close', () => clearInterval(looks));
    void look();
  });
}

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
  return bytes;
}

/** The SDK says the whole chain of causes, the URL twice; the last few are the reason. */
function lastLine(output: string): string {
  const line = output.trim().split('\n').at(-1)?.trim() ?? '';
  return line.split(': ').slice(-4).join(': ').replace(/\.$/u, '');
}
