import { readFileSync } from 'node:fs';
import { type Io, UsageError, exitCodes } from '../shell/io.ts';

const SHELLS = ['bash', 'zsh', 'fish'];

/** `reloop completion`: the script that a shell reads to complete `reloop` on TAB. */
export function completion(io: Io, shell: string): number {
  if (!SHELLS.includes(shell))
    throw new UsageError(`There is no completion for ${shell}. Known: ${SHELLS.join(', ')}.`);
  io.stdout.write(readFileSync(new URL(`../completion/reloop.${shell}`, import.meta.url), 'utf8'));
  return exitCodes.answered;
}
