import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface FileWatch {
  /** Watches these as well, from how they are now. */
  add(files: Iterable<string>): void;
  /**
   * While the config cannot be loaded: other code in the watched folders counts as well, and so does a file that is new,
   * once: it may be the one that was missing.
   */
  expectNew(expected: boolean): void;
  /** When each was last changed, as it is known here: `ctime` in milliseconds. */
  known(): { [file: string]: number };
  close(): void;
}

export interface WatchOptions {
  /**
   * Called for files that have changed, once for all that change in one go. `isGuess`: nothing is known to read
   * these files; one of them may be the file that was missing.
   */
  onChange(files: string[], isGuess: boolean): void;
  /** A folder cannot be watched; its files are looked at every second instead. */
  onPolling(reason: string): void;
}

/** An editor saves in several steps, and `git checkout` writes many files. */
const QUIET_MS = 100;
const LONGEST_MS = 1_000;
const POLL_MS = 1_000;

/**
 * Watches folders rather than files: a file that is deleted and written again, or replaced by another of its name, as editors
 * do, is still the same to us.
 */
export function watchFiles({ onChange, onPolling }: WatchOptions): FileWatch {
  const files = new Map<string, FileState>();
  const watchers = new Map<string, { id: string; watcher: FSWatcher }>();
  const mayFixFiles = new Set<string>();
  let isNewExpected = false;
  /** Files of the watched folders when the config broke, and files added since. */
  const seen = new Set<string>();
  let settling: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;
  let firstAt = 0;

  function touched(folder: string, name: string | null): void {
    if (isNewExpected && name !== null && mayFix(folder, name)) mayFixFiles.add(join(folder, name));
    if (settling === undefined) firstAt = Date.now();
    clearTimeout(settling);
    const rest = firstAt + LONGEST_MS - Date.now();
    settling = setTimeout(settle, Math.max(0, Math.min(QUIET_MS, rest)));
  }

  function mayFix(folder: string, name: string): boolean {
    if (isCode(name) || /^(?:package|tsconfig)\.json$/u.test(name)) return true;
    const file = join(folder, name);
    const isNew = !seen.has(file);
    seen.add(file);
    return isNew && maybeSource(name);
  }

  function settle(): void {
    settling = undefined;
    const changed = [...files]
      .filter(([file, before]) => stateOf(file).text !== before.text)
      .map(([file]) => file);
    for (const file of changed) files.set(file, stateOf(file));
    const guesses = [...mayFixFiles];
    mayFixFiles.clear();
    watchFolders();
    if (changed.length > 0) onChange(changed, false);
    else if (guesses.length > 0) onChange(guesses, true);
  }

  /** Folders come and go as well: for a deleted folder, its nearest parent is watched. */
  function watchFolders(): void {
    const folders = new Set([...new Set([...files.keys()].map(dirname))].map(nearest));
    for (const [folder, { id, watcher }] of watchers) {
      if (folders.has(folder) && identityOf(folder) === id) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of folders) if (!watchers.has(folder)) watchFolder(folder);
  }

  function watchFolder(folder: string): void {
    try {
      const watcher = watch(folder, (_, name) => touched(folder, name));
      watcher.on('error', () => touched(folder, null));
      watchers.set(folder, { id: identityOf(folder), watcher });
    } catch (error) {
      if (poll !== undefined) return;
      poll = setInterval(settle, POLL_MS);
      onPolling(error instanceof Error ? error.message : String(error));
    }
  }

  function remember(folder: string): void {
    try {
      for (const name of readdirSync(folder)) seen.add(join(folder, name));
    } catch {
      // The folder is gone: whatever appears there is new.
    }
  }

  return {
    add(added) {
      const before = files.size;
      for (const file of added) if (!files.has(file)) files.set(file, stateOf(file)); // as it was loaded
      if (files.size > before) watchFolders();
    },
    expectNew(expected) {
      if (expected && !isNewExpected) for (const folder of watchers.keys()) remember(folder);
      isNewExpected = expected;
    },
    known: () => Object.fromEntries([...files].map(([file, { changedAt }]) => [file, changedAt])),
    close() {
      clearTimeout(settling);
      clearInterval(poll);
      for (const { watcher } of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
}

interface FileState {
  /** Distinguishes a file from its replacement by a file of the same text. */
  text: string;
  changedAt: number;
}

function stateOf(file: string): FileState {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat === undefined) return { text: 'none', changedAt: 0 };
  const { ino, size, mtimeMs, ctimeMs } = stat;
  return { text: [ino, size, mtimeMs, ctimeMs].join(' '), changedAt: ctimeMs };
}

function identityOf(folder: string): string {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat === undefined ? 'none' : `${stat.dev} ${stat.ino}`;
}

function nearest(folder: string): string {
  for (let here = folder; ; here = dirname(here)) {
    if (identityOf(here) !== 'none' || dirname(here) === here) return here;
  }
}

function isCode(name: string): boolean {
  return !basename(name).startsWith('.') && /\.[cm]?[jt]sx?$/u.test(name);
}

/** True for names of code, JSON and folders; false for temporary files of editors. */
function maybeSource(name: string): boolean {
  return isCode(name) || (!name.startsWith('.') && (name.endsWith('.json') || !name.includes('.')));
}
