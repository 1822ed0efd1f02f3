import { type Keyring, noKeys } from '../../features/encryption/keys.ts';
import { findConfig } from '../../config/load/find-config.ts';

/**
 * Keys of the config, for a command that does not need the config otherwise. The config is loaded for the first encrypted payload; from
 * then on the command encrypts. A command that sends something to a run reads the run's memo first, and a command that starts runs has
 * loaded the config before. Throws ConfigError.
 */
export function configKeyring(file: string | undefined): Keyring {
  let found: Keyring | undefined;
  let loading: Promise<Keyring> | undefined;
  return {
    current: async () => found?.current(),
    async find(id) {
      loading ??= keysOf(file);
      // The next payload tries again.
      loading.catch(() => (loading = undefined));
      found = await loading;
      return found.find(id);
    },
  };
}

async function keysOf(file: string | undefined): Promise<Keyring> {
  if (file === undefined && findConfig() === undefined) return noKeys;
  const { loadConfig } = await import('../../config/load/load.ts');
  return (await loadConfig(file)).encryption ?? noKeys;
}
