import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Catalog, createCatalog } from './catalog.ts';
import { checkConfig } from './check-config.ts';
import { ConfigError } from './config.ts';

const NAMES = ['reloop.config.ts', 'reloop.config.js', 'reloop.config.mjs'];

/** The config file that belongs to a folder: its own, or that of the nearest folder above up to the project's root. */
export function findConfig(cwd = process.cwd()): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = NAMES.map((name) => join(folder, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (existsSync(join(folder, 'package.json')) || dirname(folder) === folder) return undefined;
  }
}

/** Loads and checks a config module. Throws {@link ConfigError} that names the file and the problem. */
export async function loadConfig(file?: string): Promise<Catalog> {
  const path = file === undefined ? findConfig() : resolve(file);
  if (path === undefined) {
    throw new ConfigError(
      `No config: there is no ${NAMES.join(', ')} here or above. Write one, or name it with --config.`,
    );
  }
  if (!existsSync(path)) throw new ConfigError(`No config: ${file} does not exist.`);
  const where = relative(process.cwd(), path) || path;
  try {
    return createCatalog(checkConfig(defaultExport(await importModule(path)), where));
  } catch (error) {
    if (error instanceof ConfigError) {
      throw error.message.startsWith(where) ? error : new ConfigError(`${where}: ${error.message}`);
    }
    throw new ConfigError(
      `${where} could not be loaded: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
}

/** TypeScript modules are compiled as they are loaded. */
async function importModule(path: string): Promise<unknown> {
  const url = pathToFileURL(path).href;
  if (!path.endsWith('.ts')) return import(url);
  const { register } = await import('tsx/esm/api');
  const unregister = register();
  try {
    return await import(url);
  } finally {
    await unregister();
  }
}

function defaultExport(module: unknown): unknown {
  const value = (module as { default?: unknown }).default;
  // A config in a package without "type": "module" arrives wrapped once more.
  return value !== null && typeof value === 'object' && 'default' in value ? value.default : value;
}
