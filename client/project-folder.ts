import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The folder of the nearest package.json, here or above; without one, the folder itself. */
export function projectFolder(cwd: string = process.cwd()): string {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) return resolve(cwd);
  }
}
