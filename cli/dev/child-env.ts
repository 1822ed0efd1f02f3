import { dirname, join, resolve } from 'node:path';
import { projectFolder } from '../../client/project-folder.ts';
import { findEnvFile, readEnvFile } from '../env-file.ts';
import type { Io } from '../io.ts';

/**
 * The environment without what the project's `.env` has set in this process: each new worker reads that file anew, and what
 * the user's own environment has wins. To be called before the file is changed.
 */
export function envWithoutFile(env: Io['env'], config: string | undefined): Io['env'] {
  const file = findEnvFile(folderOf(config));
  const values = file === undefined ? {} : readEnvFile(file);
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => values[name] !== value));
}

/** Where a `.env` may be: beside the config, and above it up to the project's root. */
export function envFiles(config: string | undefined): string[] {
  const top = projectFolder(folderOf(config));
  const files: string[] = [];
  for (let folder = folderOf(config); ; folder = dirname(folder)) {
    files.push(join(folder, '.env'));
    if (folder === top || dirname(folder) === folder) return files;
  }
}

function folderOf(config: string | undefined): string {
  return config === undefined ? process.cwd() : dirname(resolve(config));
}
