import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readJson } from '../../local/server/json-file.ts';
import { projectFolder } from '../../local/server/project-folder.ts';

/** The folder of the package this file is in, from source or built. */
export function packageFolder(): string {
  return projectFolder(dirname(fileURLToPath(import.meta.url)));
}

export function packageVersion(): string {
  const { version } = readJson(join(packageFolder(), 'package.json')) as { version: string }; // our own
  return version;
}
