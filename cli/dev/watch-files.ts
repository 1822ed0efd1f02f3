import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface FileWatch {
  /** Watches these as well, from how they are now. */
  add(files: Iterable<string>): void;
  /** Until told otherwise any file of the watched folders counts that may be source: one that is missing may come. */
  expectNew(expected: boolean): void;
  /** When each was last changed, as it is known here: `ctime` in milliseconds. */
  known(): { [file: string]: number };
  close(): void;
}

export interface WatchOptions {
  /** Told of files that are no longer as they were, once for all that change in one go. */
  onChange(files: string[]): void;
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
  const news = new Set<string>();
  let isNewExpected = false;
  let settling: NodeJS.Timeout | undefined;
  let poll: NodeJS.Timeout | undefined;
  let firstAt = 0;

  function touched(folder: string, name: string | null): void {
    if (isNewExpected && name !== null && maybeSource(name)) news.add(`${folder}/${name}`);
    if (settling === undefined) firstAt = Date.now();
    clearTimeout(settling);
    const rest = firstAt + LONGEST_MS - Date.now();
    settling = setTimeout(settle, Math.max(0, Math.min(QUIET_MS, rest)));
  }

  function settle(): void {
    settling = undefined;
    const changed = [...files]
      .filter(([file, before]) => stateOf(file).text !== before.text)
      .map(([file]) => file);
    for (const file of changed) files.set(file, stateOf(file));
    if (changed.length === 0) changed.push(...news);
    news.clear();
    watchFolders();
    if (changed.length > 0) onChange(changed);
  }

  /** Folders come and go as well: of one that is gone, the nearest one above it is watched. */
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

  return {
    add(added) {
      const before = files.size;
      for (const file of added) if (!files.has(file)) files.set(file, stateOf(file)); // as it was loaded
      if (files.size > before) watchFolders();
    },
    expectNew: (expected) => void (isNewExpected = expected),
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
  /** What tells it from another one, its replacement by a file of the same text included. */
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

/** Also a folder's name; not what editors leave lying about. */
function maybeSource(name: string): boolean {
  return !basename(name).startsWith('.') && (/\.(?:[cm]?[jt]sx?|json)$/u.test(name) || !name.includes('.'));
}
