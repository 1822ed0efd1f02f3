import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { UsageError } from '../exit-codes.ts';
import { packageFolder, packageVersion } from '../version.ts';

/**
 * What a project at `folder` has to name in package.json to get this very Reloop: its version; where this one was
 * installed from a file, or is a checkout, that file or folder.
 */
export function ownPackage(folder: string): string {
  const own = packageFolder();
  if (basename(dirname(own)) !== 'node_modules') return fileSpec(folder, own);
  const installer = dirname(dirname(own)); // a project, or a folder of npx
  const spec = specIn(join(installer, 'package.json'));
  if (spec?.startsWith('file:') === true)
    return fileSpec(folder, resolve(installer, spec.slice('file:'.length)));
  return spec !== undefined && /^[\w+.-]+:|\//u.test(spec) ? spec : `^${packageVersion()}`;
}

/** What the user named with --package: a path is one from here, and has to be there. Throws UsageError. */
export function namedPackage(folder: string, spec: string): string {
  const path = spec.replace(/^file:/u, '');
  if (path === spec && !/^(?:\.{0,2}\/|~\/)|\.tgz$/u.test(spec)) return spec.replace(/^reloop@/u, '');
  if (/^https?:/u.test(spec)) return spec;
  if (!existsSync(path)) throw new UsageError(`--package: there is no ${path} here. Nothing was written.`);
  return fileSpec(folder, resolve(path));
}

/** As npm writes it. Real paths: `..` of a link leads elsewhere. */
function fileSpec(folder: string, path: string): string {
  return `file:${relative(realFolder(folder), realpathSync(path))}`;
}

/** Of a folder that may not be there yet. */
function realFolder(folder: string): string {
  if (existsSync(folder)) return realpathSync(folder);
  return join(realFolder(dirname(folder)), basename(folder));
}

function specIn(file: string): string | undefined {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8')) as {
      dependencies?: { reloop?: string };
      devDependencies?: { reloop?: string };
    }; // npm has read it, too
    return dependencies?.reloop ?? devDependencies?.reloop;
  } catch {
    return undefined; // installed for the whole machine
  }
}
