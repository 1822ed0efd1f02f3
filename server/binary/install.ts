import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockHolder, tryLock, type Lock } from '../lock-file.ts';
import { buildWithGo, downloadBySdk, type Fetch } from './fetch.ts';

/** Server 1.29.1, UI 2.42.1: the newest that `go install` accepts. */
export const TEMPORAL_VERSION = 'v1.5.1';

export interface InstallOptions {
  folder: string;
  /** Where the binary ends up; there at once and whole, or not at all. */
  target: string;
  env: NodeJS.ProcessEnv;
  /** Path of the Go command, if there is one. */
  go: string | undefined;
  isUsable(path: string): Promise<boolean>;
  onProgress(line: string): void;
  signal?: AbortSignal;
}

export interface Installed {
  /** How it was had; undefined: not at all. */
  source: 'cache' | 'sdk-download' | 'go-install' | undefined;
  /** One sentence for each way that failed. */
  problems: string[];
}

const WORK_PREFIX = 'install-';

/** Fetches the Temporal CLI into the cache, one process at a time; the others wait and find it there. */
export async function installTemporal(options: InstallOptions): Promise<Installed> {
  const { folder, target, isUsable } = options;
  let lock: Lock | undefined;
  try {
    await mkdir(folder, { recursive: true });
    lock = await waitForLock(options);
    if (await isUsable(target)) return { source: 'cache', problems: [] };
    await removeLeftovers(folder);
    return await tryEachWay(options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    return { source: undefined, problems: [`The cache at ${folder} cannot be used: ${text(error)}.`] };
  } finally {
    await lock?.release();
  }
}

async function waitForLock({ folder, onProgress, signal }: InstallOptions): Promise<Lock> {
  const file = join(folder, 'install.lock');
  const said = everyFiveSeconds(onProgress);
  for (;;) {
    const lock = await tryLock(file);
    if (lock !== undefined) return lock;
    const holder = await lockHolder(file);
    said.tick(
      (seconds) =>
        `Process ${holder?.pid ?? '?'} is fetching the Temporal CLI; waiting for it (${seconds} s).`,
    );
    await sleep(200, undefined, { signal });
  }
}

/** What an install left that was killed. Only called with the lock. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(WORK_PREFIX)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function tryEachWay(options: InstallOptions): Promise<Installed> {
  const ways = [
    { source: 'sdk-download', name: "The SDK's own download", fetch: downloadBySdk },
    { source: 'go-install', name: '`go install`', fetch: buildWithGo },
  ] as const;
  const problems: string[] = [];
  for (const { source, name, fetch } of ways) {
    const problem = await install(options, fetch);
    if (problem === undefined) return { source, problems };
    problems.push(`${name} failed: ${problem}.`);
    options.onProgress(`${name} failed: ${problem}.`);
  }
  return { source: undefined, problems };
}

/** In a folder of its own, then moved: what is at the target is always whole. Returns what went wrong. */
async function install(options: InstallOptions, fetch: Fetch): Promise<string | undefined> {
  const { folder, target, isUsable, env, go, onProgress, signal } = options;
  const work = join(folder, `${WORK_PREFIX}${process.pid}`);
  const said = everyFiveSeconds(onProgress);
  try {
    await mkdir(work, { recursive: true });
    const path = await fetch({ folder: work, version: TEMPORAL_VERSION, env, go, signal, tick: said.tick });
    if (!(await isUsable(path))) throw new Error('what came is not a Temporal CLI that runs here');
    await rename(path, target);
    return undefined;
  } catch (error) {
    signal?.throwIfAborted();
    return text(error);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function everyFiveSeconds(onProgress: (line: string) => void) {
  const began = Date.now();
  let next = began;
  return {
    tick(line: (seconds: number) => string) {
      if (Date.now() < next) return;
      next = Date.now() + 5_000;
      onProgress(line(Math.round((Date.now() - began) / 1000)));
    },
  };
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
