import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type LoadedConfig, createLoadedConfig } from './loaded-config.ts';
import { checkConfig } from './check.ts';
import { ConfigError } from './define.ts';

const NAMES = ['reloop.config.ts', 'reloop.config.mts', 'reloop.config.js', 'reloop.config.mjs'];

/** The config file that belongs to a folder: its own, or that of the nearest folder above up to the project's root. */
export function findConfig(cwd = process.cwd()): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = NAMES.map((name) => join(folder, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (existsSync(join(folder, 'package.json')) || dirname(folder) === folder) return undefined;
  }
}

/** Loads and checks a config module. Throws {@link ConfigError} that names the file and the problem. */
export async function loadConfig(file?: string): Promise<LoadedConfig> {
  const path = file === undefined ? findConfig() : resolve(file);
  if (path === undefined) {
    throw new ConfigError(
      `No config: there is no ${NAMES.join(', ')} here or above. Write one, or name it with --config.`,
    );
  }
  if (!existsSync(path)) throw new ConfigError(`No config: ${file} does not exist.`);
  const where = relative(process.cwd(), path) || path;
  try {
    return createLoadedConfig(checkConfig(defaultExport(await importModule(path)), where));
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

async function importModule(path: string): Promise<unknown> {
  if (/\.m?ts$/u.test(path)) await (compiler ??= startCompiler());
  return import(pathToFileURL(path).href);
}

let compiler: Promise<void> | undefined;

/** TypeScript is compiled as it is loaded, for as long as the process lives: a tool may import more when it runs. */
async function startCompiler(): Promise<void> {
  const [modules, commonJs] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')]);
  modules.register();
  // Without "type": "module" in the package around it a config is CommonJS to Node.
  commonJs.register();
}

function defaultExport(module: unknown): unknown {
  const value = (module as { default?: unknown }).default;
  // A module that was compiled to CommonJS arrives wrapped once more.
  const wrapped = value !== null && typeof value === 'object' && '__esModule' in value;
  return wrapped ? (value as { default?: unknown }).default : value;
}
