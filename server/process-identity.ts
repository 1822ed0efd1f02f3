import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** In whatever form the system says it; null where it does not say. */
  startedAt: string | null;
}

export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, startedAt: (await startOf(pid)) ?? null };
}

/** A zombie counts as dead: in a container nobody may ever collect it. */
export async function isAlive({ pid, startedAt }: ProcessIdentity): Promise<boolean> {
  if (!hasNumber(pid)) return false;
  return startedAt === null || (await startOf(pid)) === startedAt;
}

function hasNumber(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: there, but somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** undefined: it is gone, or a zombie, or the system does not tell. */
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
