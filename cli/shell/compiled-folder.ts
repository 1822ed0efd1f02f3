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
