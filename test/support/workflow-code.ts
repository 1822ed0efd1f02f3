import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../local/server/json-file.ts';
import { bundle } from '../../worker/workflow-bundle.ts';
import { root } from './cli.ts';

const ENTRY = join(root, 'test/support/workflows.ts');
const BUILD = join(root, '.ci/tsconfig.build.json');
/** The lock file that npm keeps beside the installed packages: their names and versions. */
const INSTALLED = join(root, 'node_modules/.package-lock.json');
const kept = join(root, 'node_modules/.cache/reloop-tests/workflows');

/**
 * The code of `workflows.ts`, which a worker runs. It takes some seconds of a processor to bundle, so that the last one is kept: for as long as
 * all sources and installed packages are the same.
 */
export async function workflowCode(): Promise<string> {
  const name = `${await hashOfSources()}.js`;
  const path = join(kept, name);
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found !== undefined) return found;
  const { code } = await bundle(ENTRY);
  await mkdir(kept, { recursive: true });
  replaceFile(path, code);
  const others = (await readdir(kept)).filter((file) => file.endsWith('.js') && file !== name);
  await Promise.all(others.map((file) => rm(join(kept, file), { force: true })));
  return code;
}

async function hashOfSources(): Promise<string> {
  const { include } = JSON.parse(await readFile(BUILD, 'utf8')) as { include: string[] }; // of this repository
  const roots = await Promise.all(include.map((path) => filesOf(join(root, '.ci', path))));
  // Stack traces have the paths of the checkout.
  const hash = createHash('sha256').update(root);
  for (const path of [...roots.flat().toSorted(), ENTRY, INSTALLED]) {
    hash.update(`\0${path}\0`).update(await readFile(path));
  }
  return hash.digest('hex');
}

async function filesOf(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
