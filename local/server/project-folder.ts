import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The folder of the nearest package.json, here or above; without one, the folder itself. */
export function projectFolder(cwd: string = process.cwd()): string {
  return projectFolders(cwd).at(-1) ?? cwd;
}

/** A folder and its parents, up to the one with the nearest package.json; without one, the folder alone. */
export function projectFolders(cwd: string = process.cwd()): string[] {
  const folders: string[] = [];
  for (let folder: string | undefined = resolve(cwd); folder !== undefined; folder = folderAbove(folder)) {
    folders.push(folder);
    if (existsSync(join(folder, 'package.json'))) return folders;
  }
  return folders.slice(0, 1);
}

/** The folder of this project's server: RELOOP_STATE_DIR, seen from the project's folder, or `.reloop` there. */
export function stateDirectory(cwd: string = process.cwd()): string {
  const configured = process.env['RELOOP_STATE_DIR']?.trim() ?? '';
  return resolve(projectFolder(cwd), configured === '' ? '.reloop' : configured);
}

const STICKY = 0o1000;

/**
 * The next folder on the way up to a project's root. The way ends before a folder of another owner and before a shared
 * one (sticky, as /tmp is): any user may have put a package.json, config or .env there.
 */
export function folderAbove(folder: string): string | undefined {
  const above = dirname(folder);
  if (above === folder) return undefined;
  const [own, next] = [folder, above].map((one) => statSync(one, { throwIfNoEntry: false }));
  if (own === undefined || next === undefined) return above;
  return own.uid === next.uid && (next.mode & STICKY) === 0 ? above : undefined;
}
