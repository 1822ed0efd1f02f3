import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './cli.ts';

/** The pages that people read, in the order of a first day: README, docs/, the rest. The reference is generated. */
export const pages = [
  'README.md',
  ...filesOf('docs'),
  ...filesOf('docs/internals'),
  'CONTRIBUTING.md',
  'examples/README.md',
].filter((page) => existsSync(join(root, page)));

export function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** Written by `npm run docs:reference`. */
export const referencePages = filesOf('docs/reference');

function filesOf(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => `${folder}/${name}`);
}
