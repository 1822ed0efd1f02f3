import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './cli.ts';

export interface Packed {
  /** The tarball. */
  file: string;
  /** What is in it, by paths. */
  paths: string[];
}

/** What npm would publish of the build that is there, in a folder. */
export function packInto(folder: string): Packed {
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const stdout = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }]; // npm's own
  return { file: join(folder, filename), paths: files.map(({ path }) => path) };
}
