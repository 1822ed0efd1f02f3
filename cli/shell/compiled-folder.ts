import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../local/server/cache-folder.ts';

/**
 * Folder for the code that V8 has compiled. It is the user's own: in a folder that is everybody's, code could be planted. undefined: the user
 * has no home, and nothing is kept.
 */
export function compiledFolder(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return join(cacheFolder(env), 'compiled');
  } catch {
    return undefined;
  }
}

/** Versions of Reloop and of Node that may run beside each other, and take no code away from one another. */
const KEPT = 4;

/** Keeps the newest of the folders that each belong to one build and one version of Node. Node's own folders stay. */
export function removeOlderBuilds(folder: string): void {
  const builds = readdirSync(folder).filter((name) => /^[0-9a-f]{16}-v/u.test(name));
  const paths = builds.map((name) => join(folder, name));
  const newestFirst = paths.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const path of newestFirst.slice(KEPT)) rmSync(path, { recursive: true, force: true });
}
