import { rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJson, writeJson } from '../../local/server/json-file.ts';
import { processExists } from '../../local/server/process-identity.ts';

/**
 * `dev.json`: the files that a `reloop dev` has loaded, so that a command beside it does not run older code than the
 * saved one.
 */
interface LoadedFiles {
  pid: number;
  watching: boolean;
  /** The last attempt to load them came to an end, and this was it. */
  isLoaded: boolean;
  /** When each was last changed, as the last attempt to load found it: `ctime` in milliseconds. */
  files: { [file: string]: number };
}

const nameIn = (stateDir: string) => join(stateDir, 'dev.json');

export function writeLoadedFiles(stateDir: string, loaded: Omit<LoadedFiles, 'pid'>): void {
  try {
    writeJson(nameIn(stateDir), { pid: process.pid, ...loaded });
  } catch {
    // Commands beside `dev` then wait for nothing.
  }
}

export function removeLoadedFiles(stateDir: string): void {
  rmSync(nameIn(stateDir), { force: true });
}

const PATIENCE_MS = 30_000;
const SAY_MS = 1_000;

/** If a `reloop dev` of this project is about to load a saved file, waits for that. */
export async function untilDevIsUpToDate(notify: (line: string) => void, stateDir: string): Promise<void> {
  const first = readLoadedFiles(stateDir);
  if (first === undefined) return;
  const changed = await changedSince(first);
  const [newest] = changed;
  if (newest === undefined) return;
  const named = relative(process.cwd(), newest[0]);
  if (!first.watching) {
    return notify(
      `note: \`reloop dev\` (pid ${first.pid}) runs what ${named} was when it started: start it again.`,
    );
  }
  const startedAt = Date.now();
  for (let said = false; Date.now() < startedAt + PATIENCE_MS; await sleep(50)) {
    const now = readLoadedFiles(stateDir);
    if (now === undefined) return;
    if (changed.every(([file, at]) => (now.files[file] ?? at) >= at)) {
      if (!now.isLoaded)
        notify('note: `reloop dev` could not load what was saved, and runs what was before.');
      return;
    }
    if (!said && Date.now() > startedAt + SAY_MS) notify(`Waiting for \`reloop dev\` to load ${named} …`);
    said ||= Date.now() > startedAt + SAY_MS;
  }
  notify(`note: \`reloop dev\` (pid ${first.pid}) has not loaded ${named} as it is now.`);
}

/** undefined: there is no such command, or no more. */
function readLoadedFiles(stateDir: string): LoadedFiles | undefined {
  const loaded = readJson(nameIn(stateDir)) as LoadedFiles | undefined; // written above, by this version
  return loaded !== undefined && processExists(loaded.pid) ? loaded : undefined;
}

/** Changed files with their times; a file that is gone does not count. */
async function changedSince({ files }: LoadedFiles): Promise<[file: string, at: number][]> {
  const now = await Promise.all(
    Object.keys(files).map(async (file): Promise<[string, number]> => [file, await changedAt(file)]),
  );
  return now.filter(([file, at]) => at > (files[file] ?? 0));
}

async function changedAt(file: string): Promise<number> {
  return stat(file).then(
    ({ ctimeMs }) => ctimeMs,
    () => 0,
  );
}
