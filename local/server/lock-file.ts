import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { fieldsOf, readJson } from './json-file.ts';
import { identify, isAlive } from './process-identity.ts';

export interface LockHolder {
  pid: number;
  startedAt: string | null;
  /** Distinguishes this lock from any other. */
  token: string;
  /** Loopback port at which the holder is spoken to; 0: at none. */
  port: number;
}

export interface Lock {
  release(): Promise<void>;
}

/** Longer than writing a few bytes or removing a file takes. */
const ABANDONED_MS = 5_000;

/** Takes the lock for this process, or returns undefined. The lock of a dead process is taken over. */
export async function tryLock(
  file: string,
  { token, port } = { token: randomUUID() as string, port: 0 },
): Promise<Lock | undefined> {
  const holder: LockHolder = { ...(await identify(process.pid)), token, port };
  if (!(await create(file, holder))) {
    await removeIfStale(file);
    if (!(await create(file, holder))) return undefined;
  }
  return {
    async release() {
      if (read(file)?.token === token) await rm(file, { force: true });
    },
  };
}

/** The live process that holds the lock. */
export async function lockHolder(file: string): Promise<LockHolder | undefined> {
  const holder = read(file);
  return holder !== undefined && (await isAlive(holder)) ? holder : undefined;
}

/** Returns true to only one of many who try at once. */
async function create(file: string, holder: LockHolder): Promise<boolean> {
  return writeFile(file, JSON.stringify(holder), { flag: 'wx', mode: 0o600 }).then(() => true, isThere);
}

/** Removes a dead lock under a guard: of two that find it, the slower must not remove the new lock of the faster. */
async function removeIfStale(file: string): Promise<void> {
  const guard = `${file}.takeover`;
  if (!(await isStale(file))) return;
  if (await mkdir(guard).then(() => true, isThere)) {
    if (await isStale(file)) await rm(file, { force: true });
  } else if (!(await isOld(guard))) return;
  await rm(guard, { recursive: true, force: true });
}

/** A lock that cannot be read is being written, unless it is old: then its writer died over it. */
async function isStale(file: string): Promise<boolean> {
  const holder = read(file);
  return holder === undefined ? isOld(file) : !(await isAlive(holder));
}

async function isOld(path: string): Promise<boolean> {
  return stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > ABANDONED_MS,
    () => false,
  );
}

function read(file: string): LockHolder | undefined {
  const holder = readJson(file);
  return isHolder(holder) ? holder : undefined;
}

function isHolder(holder: unknown): holder is LockHolder {
  const { pid, startedAt, token, port } = fieldsOf(holder);
  return (
    Number(pid) > 0 &&
    (startedAt === null || typeof startedAt === 'string') &&
    typeof token === 'string' &&
    typeof port === 'number'
  );
}

function isThere(error: unknown): false {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
  throw error;
}
