import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of all files in a folder. A database of SQLite counts as what it has committed: its log is emptied at moments of its own. */
export async function folderBytes(folder: string): Promise<number> {
  const files = (await readdir(folder, { withFileTypes: true, recursive: true })).filter((one) =>
    one.isFile(),
  );
  const sizes = files.map(async ({ parentPath, name }) => {
    if (/\.db-(wal|shm)$/u.test(name)) return 0;
    const path = join(parentPath, name);
    return name.endsWith('.db') ? databaseBytes(path) : stat(path).then(({ size }) => size, gone);
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** A file that was deleted meanwhile. */
const gone = () => 0;

/**
 * Size of a SQLite database at its last commit: of the last frame of the log that ends a commit, else of the file. The format of both is that of
 * SQLite's page "Database File Format", in its sections 1.3 and 4.
 */
async function databaseBytes(path: string): Promise<number> {
  const log = await read(`${path}-wal`);
  const committed = log === undefined ? undefined : committedBytes(log);
  return committed ?? (await stat(path)).size;
}

const LOG_HEADER = 32;
const FRAME_HEADER = 24;

function committedBytes(log: Buffer): number | undefined {
  if (log.length < LOG_HEADER) return undefined;
  const pageSize = log.readUInt32BE(8);
  const salt = log.subarray(16, 24);
  let pages: number | undefined;
  for (let at = LOG_HEADER; at + FRAME_HEADER <= log.length; at += FRAME_HEADER + pageSize) {
    // A frame of an earlier use of the file.
    if (!log.subarray(at + 8, at + 16).equals(salt)) break;
    const afterCommit = log.readUInt32BE(at + 4);
    if (afterCommit > 0) pages = afterCommit;
  }
  return pages === undefined ? undefined : pages * pageSize;
}

async function read(path: string): Promise<Buffer | undefined> {
  try {
    const file = await open(path);
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
