import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolders } from '../../local/server/project-folder.ts';

export const NAMES = ['reloop.config.ts', 'reloop.config.mts', 'reloop.config.js', 'reloop.config.mjs'];

/** The config file of a folder: its own, or that of the nearest folder above, up to the project's folder. */
export function findConfig(cwd = process.cwd()): string | undefined {
  const files = projectFolders(cwd).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return files.find((file) => existsSync(file));
}
