import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const NAMES = ['reloop.config.ts', 'reloop.config.mts', 'reloop.config.js', 'reloop.config.mjs'];

/** The config file that belongs to a folder: its own, or that of the nearest folder above up to the project's root. */
export function findConfig(cwd = process.cwd()): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = NAMES.map((name) => join(folder, name)).find((file) => existsSync(file));
    if (found !== undefined) return found;
    if (existsSync(join(folder, 'package.json')) || dirname(folder) === folder) return undefined;
  }
}
