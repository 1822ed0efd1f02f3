import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../../agent/values/json-object.ts';
import { findConfig } from '../../config/load/find-config.ts';
import { readJson, writeJson } from '../../local/server/json-file.ts';
import type { LoadedConfig } from '../../config/load/loaded-config.ts';
import type { Candidate } from './candidates.ts';

/**
 * The names of agents and evals of configs that this user's commands have loaded, so that TAB loads no config; one that has changed since is
 * loaded again. No repository can bring this file along, so TAB never executes a config that the user has not run before.
 */

interface Kept extends Names {
  /** Change time of the config's file, in milliseconds since 1970. */
  mtimeMs: number;
  /** Time since which another process loads the config again. */
  askedAt?: number | undefined;
}

interface Names {
  agents: Candidate[];
  /** undefined in a record of an earlier version. */
  evals?: Candidate[];
}

/** Longest time to load a config; after it another try is worthwhile. */
const TRY_AGAIN_MS = 60_000;
const LOOK_MS = 40;
/** Configs that are remembered, the latest. */
const MOST = 200;

/** True if a command of this user has loaded the named config before. Default: the config found here. */
export function isKnown(named: string | undefined): boolean {
  const file = fileOf(named);
  return file !== undefined && read()[file] !== undefined;
}

/** Names in a known config, from its latest load; waits for another load no longer than until `deadline`. */
export async function namesIn(
  named: string | undefined,
  which: keyof Names,
  deadline: number,
): Promise<Candidate[]> {
  const file = fileOf(named);
  const known = file === undefined ? undefined : read()[file];
  if (file === undefined || known === undefined || !existsSync(file)) return [];
  if (known.mtimeMs === statSync(file).mtimeMs && known.askedAt === undefined) return known[which] ?? [];
  if (known.askedAt === undefined || Date.now() - known.askedAt > TRY_AGAIN_MS) {
    keep(file, { ...known, askedAt: Date.now() });
    load(file);
  }
  while (Date.now() < deadline) {
    await sleep(LOOK_MS);
    const now = read()[file];
    if (now !== undefined && now.askedAt === undefined) return now[which] ?? [];
  }
  return known[which] ?? [];
}

/** Loads a known config again, for the next TAB. */
export async function refreshNames(file: string): Promise<void> {
  const { loadConfig } = await import('../../config/load/load.ts');
  rememberNames(file, await loadConfig(file));
}

/** Remembers the names in a config. Called by every command that loads a config for its user; does nothing without a home folder. */
export function rememberNames(file: string, { agents, evals }: Pick<LoadedConfig, 'agents' | 'evals'>): void {
  try {
    const { mtimeMs } = statSync(file);
    const known = read()[file];
    const isRead = known?.evals !== undefined && known.askedAt === undefined;
    if (isRead && known.mtimeMs === mtimeMs) return;
    keep(file, {
      mtimeMs,
      agents: [...agents].map(([word, { description = '' }]) => ({ word, about: description })),
      evals: Object.entries(evals).map(([word, { agent }]) => ({ word, about: agent })),
    });
  } catch {
    // TAB then offers no names.
  }
}

function fileOf(named: string | undefined): string | undefined {
  return named === undefined ? findConfig() : resolve(named);
}

/** Loads in a separate process, since a config may take longer than a TAB may. */
function load(file: string): void {
  const main = process.argv[1];
  if (main === undefined) return;
  const args = [...process.execArgv, main, 'complete', '--refresh', file];
  const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined); // then there are no names to choose from
  child.unref();
}

function folder(): string {
  const named = process.env['XDG_STATE_HOME'] ?? '';
  return join(isAbsolute(named) ? named : join(homedir(), '.local', 'state'), 'reloop');
}

const cacheFile = () => join(folder(), 'completion.json');

function read(): { [file: string]: Kept } {
  const kept = readJson(cacheFile());
  return isObject(kept) ? (kept as { [file: string]: Kept }) : {}; // written below
}

function keep(file: string, kept: Kept): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  const { [file]: _former, ...others } = read();
  writeJson(cacheFile(), Object.fromEntries([...Object.entries(others), [file, kept]].slice(-MOST)));
}
