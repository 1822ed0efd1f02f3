import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { TemporalUnreachable } from '../launcher-error.ts';
import { installTemporal, TEMPORAL_VERSION, type Installed } from './install.ts';

export interface TemporalBinary {
  path: string;
  source: 'TEMPORAL_CLI_PATH' | 'PATH' | 'cache' | 'sdk-download' | 'go-install';
  /** As the binary says it: `1.5.1 (Server 1.29.1, UI 2.42.1)`. */
  version: string;
}

export interface FindBinaryOptions {
  env?: NodeJS.ProcessEnv;
  /** A line now and then while a download or a build takes its time. */
  onProgress(line: string): void;
  /** Ends a download or a build that is under way. */
  signal?: AbortSignal;
}

/**
 * The Temporal CLI, from wherever it can be had; what had to be fetched stays in the user's cache. Throws
 * TemporalUnreachable: where TEMPORAL_CLI_PATH is wrong, or one message that names every way.
 */
export async function findTemporalBinary(options: FindBinaryOptions): Promise<TemporalBinary> {
  const { env = process.env, onProgress, signal } = options;
  const folder = binaryCache(env);
  const cached = join(folder, executable('temporal'));

  const found = (await fromVariable(env)) ?? (await fromPath(env)) ?? (await usable(cached, 'cache'));
  if (found !== undefined) return found;

  const installed = await installTemporal({
    folder,
    target: cached,
    env,
    go: await onPath(env, 'go'),
    isUsable: async (path) => (await versionOf(path)) !== undefined,
    onProgress,
    ...(signal === undefined ? {} : { signal }),
  });
  const binary = installed.source && (await usable(cached, installed.source));
  if (binary === undefined) throw new TemporalUnreachable(noWayLeft(installed, cached));
  return binary;
}

async function fromVariable(env: NodeJS.ProcessEnv): Promise<TemporalBinary | undefined> {
  const path = env['TEMPORAL_CLI_PATH'];
  if (path === undefined || path === '') return undefined;
  const binary = await usable(resolve(path), 'TEMPORAL_CLI_PATH');
  if (binary !== undefined) return binary;
  const problem = (await isExecutable(path))
    ? 'does not answer `--version` as the Temporal CLI does'
    : 'is not an executable file';
  throw new TemporalUnreachable(
    `TEMPORAL_CLI_PATH is ${path}, but that ${problem}. Set it to the Temporal CLI, or unset it to have one found.`,
  );
}

async function fromPath(env: NodeJS.ProcessEnv): Promise<TemporalBinary | undefined> {
  const path = await onPath(env, 'temporal');
  return path === undefined ? undefined : usable(path, 'PATH');
}

async function usable(path: string, source: TemporalBinary['source']): Promise<TemporalBinary | undefined> {
  const version = await versionOf(path);
  return version === undefined ? undefined : { path, source, version };
}

/** undefined: not there, half there, or another program of that name. */
async function versionOf(path: string): Promise<string | undefined> {
  if (!(await isExecutable(path))) return undefined;
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 20_000 });
    return /^temporal version (.+)$/mu.exec(stdout)?.[1]?.trim();
  } catch {
    return undefined;
  }
}

async function onPath(env: NodeJS.ProcessEnv, command: string): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const path = join(folder, executable(command));
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function executable(name: string): string {
  return process.platform === 'win32' ? `${name}.exe` : name;
}

function binaryCache(env: NodeJS.ProcessEnv): string {
  return join(cacheFolder(env), 'reloop', `temporal-cli-${TEMPORAL_VERSION}`);
}

function cacheFolder(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_CACHE_HOME'];
  if (xdg !== undefined && isAbsolute(xdg)) return xdg;
  const home = env['HOME'] ?? homedir();
  switch (process.platform) {
    case 'darwin':
      return join(home, 'Library', 'Caches');
    case 'win32':
      return env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local');
    default:
      return join(home, '.cache');
  }
}

function noWayLeft({ problems }: Installed, cached: string): string {
  return [
    'No Temporal server can be started: no Temporal CLI was found, and none could be fetched.',
    ...problems.map((problem) => `  ${problem}`),
    'One of these helps:',
    '  set TEMPORAL_ADDRESS to a Temporal server that is running;',
    '  install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH, or set TEMPORAL_CLI_PATH to it;',
    `  put a copy at ${cached};`,
    '  allow https://temporal.download (HTTPS_PROXY is used), and start again;',
    `  install Go (https://go.dev/dl) so that the CLI can be built, and start again.`,
  ].join('\n');
}
