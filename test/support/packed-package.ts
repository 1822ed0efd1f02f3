import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { cleanEnv, root } from './cli.ts';
import { packInto } from './packed.ts';

/** A machine on which somebody has installed the package, as npm packs it, and nothing else. */
export interface PackedPackage {
  /** Projects below it find `reloop`, by `npx reloop` and by `import`. */
  folder: string;
  /** An empty home, no key, no address. */
  env: { [name: string]: string };
  /** A folder with the command `reloop`, for a PATH. */
  bin: string;
}

const run = promisify(execFile);

export async function layOutPackage(): Promise<PackedPackage> {
  // A link on the way would show in paths that commands print.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reloop-reader-')));
  const home = join(folder, 'home');
  const packages = join(folder, 'node_modules');
  const bin = join(folder, 'bin');
  for (const name of [home, bin, join(packages, '.bin')]) mkdirSync(name, { recursive: true });
  linkDependencies(packages);
  const { file: tarball } = packInto(folder);
  // As `npm install` of the file would have written it.
  const dependencies = { reloop: `file:${basename(tarball)}` };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await run('tar', ['-xzf', tarball, '-C', packages]);
  await run('mv', [join(packages, 'package'), join(packages, 'reloop')]);
  for (const place of [bin, join(packages, '.bin')])
    writeCommand(join(place, 'reloop'), join(packages, 'reloop/dist/cli/main.js'));
  const { path: temporal } = await findTemporalBinary({ onProgress: (line) => console.error(line) });
  const cache = (await run('npm', ['config', 'get', 'cache'])).stdout.trim();
  const env = asStrings(cleanEnv({ HOME: home, XDG_CACHE_HOME: join(home, '.cache'), TZ: 'UTC' }));
  return {
    folder,
    bin,
    env: {
      ...env,
      // What has been downloaded once need not be downloaded again.
      TEMPORAL_CLI_PATH: temporal,
      npm_config_cache: cache,
      npm_config_prefer_offline: 'true',
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
      PATH: (env['PATH'] ?? '')
        .split(delimiter)
        .filter((place) => !place.startsWith(root))
        .join(delimiter),
    },
  };
}

/** Installing would take a minute, and the package's own test does it. */
function linkDependencies(packages: string): void {
  const installed = join(root, 'node_modules');
  for (const name of readdirSync(installed)) {
    if (!name.startsWith('.') && name !== 'reloop') symlinkSync(join(installed, name), join(packages, name));
  }
}

function writeCommand(file: string, main: string): void {
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
}

/** Without what npm set for the command that runs these tests. */
function asStrings(env: NodeJS.ProcessEnv): { [name: string]: string } {
  const own = Object.entries(env).filter(([name]) => !/^(?:npm_|INIT_CWD|NODE_ENV|VITEST|CI$)/u.test(name));
  return Object.fromEntries(own.map(([name, value]) => [name, value ?? '']));
}
