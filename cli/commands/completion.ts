import { UsageError, exitCodes } from '../exit-codes.ts';
import { completionScripts, shells } from '../completion/scripts.ts';
import type { Io } from '../io.ts';

/** `reloop completion`: the script that a shell reads to complete `reloop` on TAB. */
export function completion(io: Io, named: string): number {
  const shell = shells.find((known) => known === named);
  if (shell === undefined)
    throw new UsageError(`There is no completion for ${named}. Known: ${shells.join(', ')}.`);
  io.stdout.write(completionScripts[shell]);
  return exitCodes.answered;
}
