import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Folder for what is fetched or made once for all projects of a user. Throws where the user has no home. */
export function cacheFolder(env: NodeJS.ProcessEnv): string {
  const xdg = env['XDG_CACHE_HOME'];
  const cache = xdg !== undefined && isAbsolute(xdg) ? xdg : join(env['HOME'] ?? homedir(), '.cache');
  return join(cache, 'reloop');
}
