import type { ExternalStorage } from '@temporalio/common';
import { findConfig } from '../../config/load/find-config.ts';
import { LazyStorage } from '../../features/storage/storage.ts';

/** Storage of the config, for a command that does not need the config otherwise: the config is loaded for the first stored payload. */
export function configStorage(file: string | undefined): ExternalStorage {
  let loading: Promise<ExternalStorage | undefined> | undefined;
  return new LazyStorage(() => {
    loading ??= storageOf(file);
    // The next payload tries again.
    loading.catch(() => (loading = undefined));
    return loading;
  });
}

async function storageOf(file: string | undefined): Promise<ExternalStorage | undefined> {
  if (file === undefined && findConfig() === undefined) return undefined;
  const { loadConfig } = await import('../../config/load/load.ts');
  return (await loadConfig(file)).storage;
}
