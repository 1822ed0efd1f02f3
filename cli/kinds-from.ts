import type { AgentKind } from '../agent/kinds/kind.ts';
import { type Io, say } from './io.ts';
import type { CommonOptions } from './options.ts';

/** Kinds of the config's own, where there is one; without, the built-in ones do. */
export async function kindsFrom(io: Io, { config }: CommonOptions): Promise<Iterable<AgentKind> | undefined> {
  const { findConfig, loadConfig } = await import('../config/load.ts');
  if (config === undefined && findConfig() === undefined) return undefined;
  try {
    return (await loadConfig(config)).kinds.values();
  } catch (error) {
    if (config !== undefined) throw error;
    say(io, `note: the config could not be loaded, so only built-in kinds are known.`);
    return undefined;
  }
}
