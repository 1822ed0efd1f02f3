import { execFile } from 'node:child_process';
import { readFile, readdir, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A program that listens on a port of this machine. */
export interface PortHolder {
  pid: number;
  /** Name of the program, as the system lists it. */
  name: string;
}

/** undefined: none, or unknown, as for another user's programs. */
export async function portHolder(port: number): Promise<PortHolder | undefined> {
  try {
    return process.platform === 'linux' ? await fromProc(port) : await fromLsof(port);
  } catch {
    return undefined;
  }
}

const LISTENS = '0A';

async function fromProc(port: number): Promise<PortHolder | undefined> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = tables.flatMap((table) => table.split('\n').map((row) => row.trim().split(/\s+/u)));
  // Columns of /proc/net/tcp: number, local address, remote address, state, …, inode as the tenth.
  const row = rows.find(([, local = '', , state]) => state === LISTENS && local.endsWith(`:${hex}`));
  if (row === undefined) return undefined;
  const socket = `socket:[${row[9]}]`;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/u.test(name))) {
    if (!(await hasOpen(pid, socket))) continue;
    return { pid: Number(pid), name: (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() };
  }
  return undefined;
}

/** Processes of other users cannot be inspected. */
async function hasOpen(pid: string, socket: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const files = await readdir(folder).catch(() => []);
  const links = await Promise.all(files.map((file) => readlink(`${folder}/${file}`).catch(() => '')));
  return links.includes(socket);
}

async function fromLsof(port: number): Promise<PortHolder | undefined> {
  const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
  const { stdout } = await promisify(execFile)('lsof', args, { timeout: 2_000 });
  const [, pid, name] = /^p(\d+)\n(?:.*\n)*?c(.+)$/mu.exec(stdout) ?? [];
  return pid === undefined || name === undefined ? undefined : { pid: Number(pid), name };
}
