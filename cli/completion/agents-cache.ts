import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from '../../agent/json-object.ts';
import { projectFolder } from '../../client/project-folder.ts';
import { findConfig } from '../../config/find-config.ts';
import type { Candidate } from './candidates.ts';

/** The agents of configs as they were last loaded, so that no config is loaded for a TAB. */

interface Kept {
  /** Of the config's file, in milliseconds since 1970. */
  mtimeMs: number;
  agents: Candidate[];
  /** Since when somebody is at work to find them out. */
  askedAt?: number | undefined;
}

/** How long it takes at most to load a config, and so to be worth another try. */
const TRY_AGAIN_MS = 60_000;
const LOOK_MS = 40;

/** The agents of a config, from the latest load of it; waits for one no longer than until `deadline`. */
export async function agentsOf(named: string | undefined, deadline: number): Promise<Candidate[]> {
  const file = named === undefined ? findConfig() : resolve(named);
  const folder = stateFolder();
  // In a project that no command has been used in yet, a TAB leaves nothing behind.
  if (file === undefined || !existsSync(file) || !existsSync(folder)) return [];
  const { mtimeMs } = statSync(file);
  const known = read(folder)[file];
  if (known?.mtimeMs === mtimeMs && known.askedAt === undefined) return known.agents;
  if (known?.askedAt === undefined || Date.now() - known.askedAt > TRY_AGAIN_MS) {
    keep(folder, file, { mtimeMs: known?.mtimeMs ?? 0, agents: known?.agents ?? [], askedAt: Date.now() });
    load(file);
  }
  while (Date.now() < deadline) {
    await sleep(LOOK_MS);
    const now = read(folder)[file];
    if (now !== undefined && now.askedAt === undefined) return now.agents;
  }
  return known?.agents ?? [];
}

/** Finds the agents out, for whoever asks next. */
export async function refreshAgents(file: string): Promise<void> {
  const { mtimeMs } = statSync(file);
  const { loadConfig } = await import('../../config/load.ts');
  const loaded = await loadConfig(file);
  const agents = [...loaded.agents].map(([word, { description = '' }]) => ({ word, about: description }));
  keep(stateFolder(), file, { mtimeMs, agents });
}

/** In a process of its own: it may take longer than anybody waits for a TAB. */
function load(file: string): void {
  const main = process.argv[1];
  if (main === undefined) return;
  const args = [...process.execArgv, main, 'complete', '--refresh', file];
  const child = spawn(process.execPath, args, { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined); // then there are no agents to choose from
  child.unref();
}

/** As the server's launcher has it, without all that it loads. */
function stateFolder(): string {
  const named = process.env['RELOOP_STATE_DIR'];
  return named === undefined || named === '' ? join(projectFolder(), '.reloop') : resolve(named);
}

function cacheFile(folder: string): string {
  return join(folder, 'completion.json');
}

function read(folder: string): { [file: string]: Kept } {
  try {
    const kept: unknown = JSON.parse(readFileSync(cacheFile(folder), 'utf8'));
    return isObject(kept) ? (kept as { [file: string]: Kept }) : {}; // written below
  } catch {
    return {};
  }
}

function keep(folder: string, file: string, kept: Kept): void {
  writeFileSync(cacheFile(folder), JSON.stringify({ ...read(folder), [file]: kept }), { mode: 0o600 });
}
