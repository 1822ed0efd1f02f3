import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/**
 * `npm run check:licences`: prints each package of an installation whose licence a company may have to look at, and exits with 1. Source of a
 * licence: the lock file. Development dependencies do not count.
 */
const PERMISSIVE = [
  'MIT',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  '0BSD',
  'BlueOak-1.0.0',
  'Unlicense',
];

/** Packages that were looked at by hand, by name and licence. */
const KNOWN: { [name: string]: string } = {
  'caniuse-lite': 'CC-BY-4.0', // data about browsers, by way of webpack, which bundles the workflows
  unionfs: 'none', // the package names no licence; its file LICENSE is the Unlicense
};

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ license: z.string().default('none'), dev: z.boolean().default(false) }),
  ),
});

const lockFile = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
const { packages } = Lock.parse(JSON.parse(readFileSync(lockFile, 'utf8')));
const unknown = Object.entries(packages).flatMap(([path, { license, dev }]) => {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  if (path === '' || dev || isPermissive(license) || KNOWN[name] === license) return [];
  return [`${name}: ${license}`];
});
if (unknown.length > 0) {
  console.log(`Licences that nobody has looked at:\n${unknown.join('\n')}`);
  process.exitCode = 1;
}

/** All parts of `A AND B`, one of `A OR B`. */
function isPermissive(license: string): boolean {
  const words = license.replaceAll(/[()]/gu, '');
  if (words.includes(' OR ')) return words.split(' OR ').some(isPermissive);
  return words.split(' AND ').every((part) => PERMISSIVE.includes(part));
}
