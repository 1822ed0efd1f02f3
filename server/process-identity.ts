import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  pid: number;
  /** When it began, in whatever form the system says it; null where it does not say. */
  born: string | null;
}

export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, born: (await lookUp(pid))?.born ?? null };
}

/** A zombie counts as dead: in a container nobody may ever collect it. */
export async function isAlive({ pid, born }: ProcessIdentity): Promise<boolean> {
  if (!hasNumber(pid)) return false;
  const found = await lookUp(pid);
  if (found === undefined) return hasNumber(pid);
  return !found.zombie && (born === null || found.born === born);
}

/** Resolves when the process is gone; false when it is still there after `timeoutMs`. */
export async function isGone(process: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  for (const end = Date.now() + timeoutMs; Date.now() < end;) {
    if (!(await isAlive(process))) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

function hasNumber(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: there, but somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** undefined: the system does not tell. */
async function lookUp(pid: number): Promise<{ born: string; zombie: boolean } | undefined> {
  try {
    switch (process.platform) {
      case 'linux':
        return await fromProc(pid);
      case 'win32':
        return undefined;
      default:
        return await fromPs(pid);
    }
  } catch {
    return undefined;
  }
}

async function fromProc(pid: number): Promise<{ born: string; zombie: boolean }> {
  const [stat, boot] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8'),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
  ]);
  // The second field, the command's name, may hold blanks and brackets; state is the third, start time the 22nd.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { born: `${boot.trim()} ${fields[19] ?? ''}`, zombie: fields[0] === 'Z' || fields[0] === 'X' };
}

async function fromPs(pid: number): Promise<{ born: string; zombie: boolean }> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  const [state = '', ...born] = stdout.trim().split(/\s+/u);
  return { born: born.join(' '), zombie: state.startsWith('Z') };
}
