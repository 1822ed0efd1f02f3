import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { replaceFile } from '../local/server/json-file.ts';
import type { cli } from './cli.ts';
import { compiledFolder, removeOlderBuilds } from './shell/compiled-folder.ts';

const bundle = new URL('bundle/cli.cjs', import.meta.url);

type Cli = typeof cli;

/**
 * Runs the bundle of the commands, of which `build` is the digest. What V8 has compiled is kept for each command in a folder of the user, and the
 * next one starts a quarter faster.
 */
export function loadBundle(build: string): Cli {
  const file = fileURLToPath(bundle);
  return async (words, io) => {
    const kept = keptFile(build, words[0] ?? '', io.env);
    const cachedData = kept === undefined ? undefined : readKept(kept);
    const code = `(function(require,module,__filename,LOAD){${readFileSync(file, 'latin1')}\n})`;
    const script = new Script(code, { filename: file, cachedData });
    const module: { exports: { cli?: Cli } } = { exports: {} };
    (script.runInThisContext() as Wrapper)(createRequire(file), module, file, loadLate); // the function above
    const exitCode = (await module.exports.cli?.(words, io)) ?? 1;
    if (
      kept !== undefined &&
      exitCode === 0 &&
      (cachedData === undefined || script.cachedDataRejected === true)
    )
      keep(kept, script.createCachedData());
    return exitCode;
  };
}

type Wrapper = (require: NodeJS.Require, module: object, file: string, load: typeof loadLate) => void;

/** Loads a module that is not part of the bundle. */
async function loadLate(name: string): Promise<unknown> {
  return import(name.startsWith('.') ? new URL(name, bundle).href : name);
}

/** undefined: nothing is kept. */
function keptFile(build: string, command: string, env: NodeJS.ProcessEnv): string | undefined {
  const folder = compiledFolder(env);
  if (folder === undefined || env['NODE_DISABLE_COMPILE_CACHE'] !== undefined) return undefined;
  if (!/^[a-z-]*$/u.test(command)) return undefined;
  return join(folder, `${build}-${process.version}-${process.arch}`, command || 'help');
}

function readKept(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function keep(file: string, data: Buffer): void {
  try {
    const folder = dirname(file);
    const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
    replaceFile(file, data);
    if (isNew) removeOlderBuilds(dirname(folder));
  } catch {
    // The next command is not faster then.
  }
}
