import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { identify, isAlive } from './process-identity.ts';

const holderSchema = z.object({
  pid: z.int().positive(),
  born: z.string().nullable(),
  /** Tells this lock from any other. */
  token: z.string(),
  /** Loopback port at which the holder is spoken to. */
  port: z.number().optional(),
});

export type LockHolder = z.output<typeof holderSchema>;

export interface Lock {
  release(): Promise<void>;
}

/** Longer than anybody needs to write a few bytes or to remove a file. */
const ABANDONED_MS = 5_000;

/** Takes the lock for this process, or returns undefined. The lock of a dead process is taken over. */
export async function tryLock(
  file: string,
  told: { token: string; port?: number } = { token: randomUUID() },
): Promise<Lock | undefined> {
  const holder: LockHolder = { ...(await identify(process.pid)), token: told.token, port: told.port };
  if (!(await create(file, holder))) {
    await removeIfStale(file);
    if (!(await create(file, holder))) return undefined;
  }
  return {
    async release() {
      if ((await read(file))?.token === holder.token) await unlink(file).catch(ignore);
    },
  };
}

/** The live process that holds the lock. */
export async function lockHolder(file: string): Promise<LockHolder | undefined> {
  const holder = await read(file);
  return holder !== undefined && (await isAlive(holder)) ? holder : undefined;
}

async function create(file: string, holder: LockHolder): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Under a guard: of two that find a dead lock, the slower must not remove the new lock of the faster. */
async function removeIfStale(file: string): Promise<void> {
  if (!(await isStale(file))) return;
  const guard = `${file}.takeover`;
  try {
    await mkdir(guard);
  } catch {
    if (await isOld(guard)) await rmdir(guard).catch(ignore);
    return;
  }
  try {
    if (await isStale(file)) await unlink(file).catch(ignore);
  } finally {
    await rmdir(guard).catch(ignore);
  }
}

/** A lock that cannot be read is being written, unless it is old: then its writer died over it. */
async function isStale(file: string): Promise<boolean> {
  const holder = await read(file);
  return holder === undefined ? isOld(file) : !(await isAlive(holder));
}

async function read(file: string): Promise<LockHolder | undefined> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

async function isOld(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > ABANDONED_MS;
  } catch {
    return false;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function ignore(): void {}
