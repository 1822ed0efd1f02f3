import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { licenceOf, manifestOf } from '../build-licence.ts';

/**
 * Part of `npm run build`: the one file of mathjs that the calculator loads goes into dist, with the licences of all that
 * is in it. As a dependency it would bring ten packages and 20 MB into each project that has Reloop.
 */
const require = createRequire(import.meta.url);

const math = packageFolder('mathjs');
const parts = [math, ...Object.keys(manifestOf(math).dependencies ?? {}).map(packageFolder)];
const code = readFileSync(join(math, 'lib/browser/math.js'), 'utf8');
writeFileSync(new URL('mathjs.cjs', import.meta.url), code.replace(/^\/\/# sourceMappingURL=.*$/mu, ''));
writeFileSync(new URL('mathjs.LICENSES.txt', import.meta.url), parts.map(licenceOf).join('\n'));

/** Folder of an installed package. Searches its files: not every package lets its package.json be required. */
function packageFolder(name: string): string {
  const folders = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name));
  const found = folders.find((folder) => existsSync(join(folder, 'package.json')));
  if (found === undefined) throw new Error(`build-math: ${name} is not installed. Run npm ci.`);
  return found;
}
