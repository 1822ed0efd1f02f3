import type { ConfigDefinition } from '../config/define.ts';
import type { Embedded, EmbeddedOptions } from './embedded.ts';

/**
 * Temporal and a worker for a config, in this program: the server that TEMPORAL_ADDRESS or temporal.toml names, else this
 * project's own, shared with `reloop` and other programs, started where it is not running. `config`: default the
 * project's `reloop.config.ts`. Runs that an earlier start of the program left go on. Throws ConfigError,
 * TemporalUnreachable.
 */
export async function startEmbedded(
  config?: ConfigDefinition,
  options: EmbeddedOptions = {},
): Promise<Embedded> {
  const [{ readConfig }, { embed }] = await Promise.all([
    import('./program-config.ts'),
    import('./embed.ts'),
  ]);
  return embed(await readConfig(config, 'startEmbedded'), options);
}
