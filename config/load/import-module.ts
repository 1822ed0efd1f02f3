import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Called for each file that is imported, with its path, in any order and possibly twice. */
export type OnImport = (file: string) => void;

/**
 * Imports a config module, TypeScript or not. `onImport` is called for each file that it imports, also later, when a
 * tool runs: for that, the compiler handles JavaScript, too.
 */
export async function importModule(path: string, onImport?: OnImport): Promise<unknown> {
  if (onImport !== undefined) {
    listeners.push(onImport);
    onImport(path);
    tellOfCommonJs();
  }
  if (onImport !== undefined || /\.m?ts$/u.test(path)) {
    if (onImport === undefined) await loadPackageOf(path);
    await (compiler ??= startCompiler());
  }
  return import(pathToFileURL(path).href);
}

/** Files imported so far, the user's and others, as far as the compiler saw them. */
export function importedFiles(): ReadonlySet<string> {
  return imported;
}

const listeners: OnImport[] = [];
const imported = new Set<string>();
let compiler: Promise<void> | undefined;

/**
 * Loads the config's `reloop` before the compiler starts, which looks at each file that is loaded after it. Saves a third of the time of
 * `reloop agents`.
 */
async function loadPackageOf(config: string): Promise<void> {
  if (compiler !== undefined || !import.meta.url.endsWith('.js')) return; // from the sources the package is compiled, too
  try {
    await import(pathToFileURL(createRequire(config).resolve('reloop')).href);
  } catch {
    // The config's own import says what is wrong.
  }
}

/** TypeScript is compiled as it is loaded, for as long as the process lives: a tool may import more when it runs. */
async function startCompiler(): Promise<void> {
  const [modules, commonJs] = await Promise.all([import('tsx/esm/api'), import('tsx/cjs/api')]);
  modules.register({ onImport: (url) => tell(url) });
  // A config is CommonJS to Node without "type": "module" in the package around it.
  commonJs.register();
}

/**
 * Reports files that CommonJS requires, since the compiler does not. A module that fails to load is in no cache, so
 * report it as loading starts.
 */
function tellOfCommonJs(): void {
  const { Module } = createRequire(import.meta.url)('node:module') as {
    Module: { prototype: { load(file: string): unknown } }; // not in Node's types
  };
  const { load } = Module.prototype;
  Module.prototype.load = function loadAndTell(file) {
    tell(file);
    return load.call(this, file);
  };
}

function tell(urlOrPath: string): void {
  const file = urlOrPath.startsWith('file:') ? fileURLToPath(urlOrPath.replace(/[?#].*$/u, '')) : urlOrPath;
  if (imported.has(file)) return;
  imported.add(file);
  for (const listener of listeners) listener(file);
}
