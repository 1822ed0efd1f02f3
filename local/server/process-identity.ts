import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { promisify } from 'node:util';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** Start time in the system's own form; null if the system does not say. */
  startedAt: string | null;
}

export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, startedAt: (await startOf(pid)) ?? null };
}

/** A zombie counts as dead: in a container it may never be collected. */
export async function isAlive({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  if (!processExists(pid)) return false;
  return startedAt === null || (await startOf(pid)) === startedAt;
}

/** True if a process has this id, also a process of another user (EPERM). */
export function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The process id in the identity of a worker (`reloop dev 4711@host`, `4711@host`), if the host is this machine. */
export function pidHere(identity: string): number | undefined {
  const [, pid, host] = /(?:^|\s)(\d+)@(\S+)/u.exec(identity) ?? [];
  return host === hostname() ? Number(pid) : undefined;
}

/** undefined: the process is gone, or a zombie, or the system does not say. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    return process.platform === 'linux' ? await fromProc(pid) : await fromPs(pid);
  } catch {
    return undefined;
  }
}

async function fromProc(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
  // The second field, the command's name, may hold blanks and brackets; state is the third, start time the 22nd.
  const [state = 'Z', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 'ZX'.includes(state) ? undefined : `${boot.trim()} ${fields[18]}`;
}

async function fromPs(pid: number): Promise<string | undefined> {
  const env = { ...process.env, LC_ALL: 'C' };
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env });
  const [state = 'Z', ...startedAt] = stdout.trim().split(/\s+/u);
  return state.startsWith('Z') ? undefined : startedAt.join(' ');
}
