import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type LoadedConfig, createLoadedConfig } from './loaded-config.ts';
import { checkConfig } from '../check.ts';
import { ConfigError } from '../define.ts';
import { isUsers, placeOf, reasonOf } from './error-place.ts';
import { NAMES, findConfig } from './find-config.ts';
import { type OnImport, importModule, importedFiles } from './import-module.ts';
import { type LoadingNote, loadingNotes } from '../../adapters/tools/loading-note.ts';

export { findConfig } from './find-config.ts';

/**
 * Loads and checks a config module. Throws {@link ConfigError} that names the file and the problem; its cause has the
 * place, where there is one ({@link placeOf}). `onImport` is called for each file that the config imports, itself
 * included, and for the files of skills.
 */
export async function loadConfig(file?: string, onImport?: OnImport): Promise<LoadedConfig> {
  const path = file === undefined ? findConfig() : resolve(file);
  if (path === undefined) {
    throw new ConfigError(
      `No config: there is no ${NAMES.join(', ')} here or above. \`npx reloop init\` writes one. One that lies elsewhere is named with --config.`,
    );
  }
  if (!existsSync(path)) throw new ConfigError(`No config: ${file} does not exist.`);
  const where = relative(process.cwd(), path) || path;
  try {
    const config = checkConfig(defaultExport(await importModule(path, onImport)), where);
    const loaded = createLoadedConfig(config, dirname(path));
    if (onImport !== undefined) loaded.skills?.files.forEach(onImport);
    return loaded;
  } catch (error) {
    if (error instanceof ConfigError) {
      if (error.message.startsWith(where)) throw error;
      throw new ConfigError(`${where}: ${error.message}`, { cause: error });
    }
    throw new ConfigError(`${where} could not be loaded: ${reasonOf(error)}`, {
      cause: await withPlace(error, path),
    });
  }
}

/** If Node cannot read a JavaScript file, it prints the file and the line only when the process ends of the error. */
async function withPlace(error: unknown, config: string): Promise<unknown> {
  if (!(error instanceof SyntaxError) || placeOf(error) !== undefined) return error;
  const files = [config, ...[...importedFiles()].filter(isUsers)];
  for (const file of files.filter((one) => /\.[cm]?js$/u.test(one))) {
    const stack = await whatNodeSays(file);
    if (stack !== undefined && stack.includes(error.message)) return Object.assign(error, { stack });
  }
  return error;
}

/** undefined: that it can be read. */
async function whatNodeSays(file: string): Promise<string | undefined> {
  try {
    await promisify(execFile)(process.execPath, ['--check', file]);
    return undefined;
  } catch (error) {
    return error instanceof Error && 'stderr' in error ? String(error.stderr) : undefined;
  }
}

function defaultExport(module: unknown): unknown {
  const value = (module as { default?: unknown }).default;
  // A module that was compiled to CommonJS arrives wrapped once more.
  const wrapped = value !== null && typeof value === 'object' && '__esModule' in value;
  return wrapped ? (value as { default?: unknown }).default : value;
}

/** Calls `tell` with what a config waits for while it is loaded, MCP servers for instance. */
export function whileLoading(tell: (note: LoadingNote) => void): void {
  loadingNotes.subscribe((note) => tell(note as LoadingNote)); // only such are published there
}
