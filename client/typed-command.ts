import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * How the command is typed here: `reloop` where the shell finds it; else `npx reloop`, which the project's own copy
 * answers to. npm, while it runs something, adds folders to PATH that the user's shell does not have.
 */
export function reloop({ PATH = '' }: { [name: string]: string | undefined } = process.env): string {
  if (PATH === lookedAt) return typed;
  const folders = PATH.split(delimiter).filter(
    (folder) => !/[/\\]node_modules[/\\]\.bin[/\\]?$/u.test(folder),
  );
  const isFound = folders.some((folder) => folder !== '' && existsSync(join(folder, 'reloop')));
  [lookedAt, typed] = [PATH, isFound ? 'reloop' : 'npx reloop'];
  return typed;
}

/** Every error that names a command asks for it, in a program's server too: PATH is looked through once. */
let lookedAt: string | undefined;
let typed = '';
