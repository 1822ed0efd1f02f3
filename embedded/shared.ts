import { type EmbeddedHere, embed } from './embed.ts';
import { type ProgramConfig, isSame } from './program-config.ts';
import type { EmbeddedOptions } from './embedded.ts';

interface Shared {
  config: ProgramConfig;
  embedded: Promise<EmbeddedHere>;
  users: number;
  idle: NodeJS.Timeout | undefined;
}

/** Of `runAgentHere`, by where the runs are: runs side by side share a server and a worker, and the next one finds them. */
const open = new Map<string, Shared>();

/** So long a program may take from one run to the next; its end waits for it. */
const IDLE_MS = 200;

/** Throws ConfigError, TemporalUnreachable. */
export async function borrow(
  config: ProgramConfig,
  options: EmbeddedOptions,
): Promise<{ embedded: EmbeddedHere; giveBack(): void }> {
  const key = JSON.stringify([options.stateDir, options.taskQueue]);
  const found = open.get(key);
  if (found !== undefined && found.users === 0 && !isSame(found.config, config)) await end(key, found);
  const shared = sharedAt(key, config, options);
  clearTimeout(shared.idle);
  shared.users++;
  const giveBack = () => {
    shared.users--;
    if (shared.users === 0) shared.idle = setTimeout(() => void end(key, shared), IDLE_MS);
  };
  try {
    return { embedded: await shared.embedded, giveBack };
  } catch (error) {
    if (open.get(key) === shared) open.delete(key);
    throw error;
  }
}

/** One of another config that is at work is left alone: to embed a second one says why that cannot be. */
function sharedAt(key: string, config: ProgramConfig, options: EmbeddedOptions): Shared {
  const found = open.get(key);
  if (found !== undefined && isSame(found.config, config)) return found;
  const shared: Shared = { config, embedded: embed(config, options), users: 0, idle: undefined };
  if (found === undefined) open.set(key, shared);
  return shared;
}

async function end(key: string, shared: Shared): Promise<void> {
  clearTimeout(shared.idle);
  if (open.get(key) === shared) open.delete(key);
  await shared.embedded.then((embedded) => embedded.close()).catch(() => undefined); // its runs have been answered
}
