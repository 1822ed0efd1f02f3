import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../../local/server/process-identity.ts';
import {
  type BegunAttempt,
  JOURNAL_SUFFIX,
  type JournalScope,
  journalFolder,
  readJournal,
} from './attempt-journal.ts';
import { processPlace } from './process-place.ts';

/** Age at which a journal that no worker claimed is removed. */
const FORGOTTEN_MS = 24 * 3_600_000;

/**
 * The attempts of this scope whose process has certainly died, each given to one caller only: to take a journal is to rename
 * it. Those of another machine or container, of whose processes nothing can be known here, are left alone.
 */
export async function claimOrphans(stateDir: string, scope: JournalScope): Promise<BegunAttempt[]> {
  const folder = journalFolder(stateDir);
  const taken: BegunAttempt[] = [];
  const held = new Set<string>();
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const { owner, attempts } = journalAt(file) ?? {};
    if (owner === undefined || owner.place !== processPlace()) removeIfForgotten(file);
    else if (await isAlive(owner)) for (const attempt of attempts ?? []) held.add(keyOf(attempt));
    else if (owner.namespace !== scope.namespace || owner.address !== scope.address) removeIfForgotten(file);
    else taken.push(...take(file).filter(({ identity }) => isOf(identity, owner.pid)));
  }
  // An attempt that a live worker has under way is that worker's, whatever the journal of a dead process says.
  return taken.filter((attempt) => !held.has(keyOf(attempt)));
}

function journalAt(file: string): ReturnType<typeof readJournal> {
  try {
    return file.endsWith(JOURNAL_SUFFIX) ? readJournal(file) : undefined;
  } catch {
    return undefined; // gone under our eyes
  }
}

/** If many workers try at once, one gets the attempts. */
function take(file: string): BegunAttempt[] {
  const mine = `${file}.${process.pid}.taken`;
  try {
    renameSync(file, mine);
    const { attempts } = readJournal(mine) ?? { attempts: [] };
    rmSync(mine, { force: true });
    return attempts;
  } catch {
    return [];
  }
}

/** An identity that names a process (`4711@host`, as the SDK's own) names that of the journal. */
function isOf(identity: string, pid: number): boolean {
  const [, named] = /(?:^| )(\d+)@/u.exec(identity) ?? [];
  return named === undefined || Number(named) === pid;
}

function keyOf({ runId, activityId, attempt }: BegunAttempt): string {
  return JSON.stringify([runId, activityId, attempt]);
}

function removeIfForgotten(file: string): void {
  try {
    const isOurs = file.includes(JOURNAL_SUFFIX);
    if (isOurs && Date.now() - statSync(file).mtimeMs > FORGOTTEN_MS) rmSync(file, { force: true });
  } catch {
    // Another process has removed it.
  }
}
