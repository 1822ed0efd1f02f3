import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Packages that some tools and commands need and most projects do not: npm installs none of them along. Their versions: package.json's peerDependencies. */
export type OptionalPackage =
  | '@hono/node-server'
  | '@hono/zod-openapi'
  | '@modelcontextprotocol/client'
  | '@modelcontextprotocol/server'
  | '@nats-io/transport-node'
  | '@opentelemetry/api'
  | 'hono'
  | 'libsql'
  | 'postgres'
  | 'pyodide'
  | 'redis'
  | 'standardwebhooks'
  | 'yaml'
  | 'zod-to-json-schema';

/**
 * Called where a tool is defined, so that a missing package is reported when the config is loaded and not in the middle
 * of a run. `who` is the user's code: `python()`. Throws an Error with the package to install.
 */
export function requirePackage(name: OptionalPackage, who: string, find = versionOf): void {
  requirePackages([name], who, find);
}

/** The same for several packages, all in one sentence. */
export function requirePackages(names: readonly OptionalPackage[], who: string, find = versionOf): void {
  const { peerDependencies } = require('reloop/package.json') as {
    peerDependencies: { [name in OptionalPackage]: string };
  }; // of the package this file is in
  const packages = names.map((name) => ({ name, accepted: peerDependencies[name], installed: find(name) }));
  const wrong = packages.filter(
    ({ accepted, installed }) => installed === undefined || !isWithin(installed, accepted),
  );
  const [first] = wrong;
  if (first === undefined) return;
  const remedy = `npm install ${wrong.map(({ name, accepted }) => `${name}@${accepted}`).join(' ')}`;
  if (wrong.some(({ installed }) => installed === undefined)) {
    const what = wrong.map(({ name }) => name).join(', ');
    const are = wrong.length === 1 ? `the package ${what}, which is` : `the packages ${what}, which are`;
    throw new Error(`${who} needs ${are} not installed: ${remedy}`);
  }
  const what = wrong.map(({ name, accepted }) => `${name} ${accepted}`).join(', ');
  const have = wrong.map(({ installed }) => installed).join(', ');
  throw new Error(`${who} needs ${what}, but ${have} is installed: ${remedy}`);
}

/** Version of the installed package. Read from its files, since not every package lets its package.json be required. */
function versionOf(name: OptionalPackage): string | undefined {
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      const { version } = require(`${folder}/${name}/package.json`) as { version: string }; // every package has one
      return version;
    } catch {
      // The package is not in this folder; look in the next.
    }
  }
  return undefined;
}

/** Ranges are written `^major.minor.patch`. With a major of 0, the minor has to be the same. */
function isWithin(version: string, range: string): boolean {
  const [has = 0, ...hasRest] = numbers(version);
  const [needs = 0, ...needsRest] = numbers(range);
  if (has !== needs || (needs === 0 && hasRest[0] !== needsRest[0])) return false;
  const at = needsRest.findIndex((part, place) => part !== hasRest[place]);
  return at < 0 || (hasRest[at] ?? 0) > (needsRest[at] ?? 0);
}

function numbers(version: string): number[] {
  return version.replace('^', '').split(/[-+]/u, 1).join('').split('.').map(Number);
}
